import { omitUndefined } from "../../json/omit.js";
import type { StreamResponse, TaskPushNotificationConfig } from "../../protocol/model.js";
import type { OperationName } from "../../protocol/operations.js";
import type { Codec, ResponseEncoders } from "../codec.js";
import { closingEvent, endsOnInput, streamTexts } from "../events.js";
import { LazyList } from "../lazy-list.js";
import type { Writer } from "./dialect.js";

/** The members of a codec that concern responses and streams. */
interface Encoder extends Pick<Codec, "encodeResponse" | "eventWriter" | "isLast" | "closingEvent"> {
  /** Creates an encoder for the events of one stream. It returns each event as a JSON value. */
  eventEncoder(name: OperationName): (event: StreamResponse) => object;
}

/**
 * Creates the encoder of responses and events.
 * @param isWrapped wraps the response to a send, and each event, in an object with one member, such as `task`, for HTTP+JSON and gRPC
 */
export function encoderOf(write: Writer, isWrapped: boolean): Encoder {
  const written = ({ task, message, statusUpdate, artifactUpdate }: StreamResponse, isLast: boolean) => {
    const event = omitUndefined({
      task: task && write.task(task),
      message: message && write.message(message),
      statusUpdate: statusUpdate && write.statusUpdate(statusUpdate, isLast),
      artifactUpdate: artifactUpdate && write.artifactUpdate(artifactUpdate),
    });
    return isWrapped ? event : Object.values(event)[0];
  };
  const push = (config: TaskPushNotificationConfig, { taskId }: { taskId?: string }) =>
    write.push(config, taskId);
  const encoders: ResponseEncoders = {
    SendMessage: (answer) => written(answer, true),
    SendStreamingMessage: (event) => written(event, false),
    GetTask: write.task,
    ListTasks: ({ tasks }) => new LazyList(tasks, write.task),
    CancelTask: write.task,
    SubscribeToTask: (event) => written(event, false),
    CreateTaskPushNotificationConfig: push,
    GetTaskPushNotificationConfig: push,
    ListTaskPushNotificationConfigs: ({ configs = [] }, { taskId }) =>
      write.list(configs.map((config) => write.push(config, taskId))),
    DeleteTaskPushNotificationConfig: () => null,
    GetExtendedAgentCard: write.card,
  } satisfies ResponseEncoders & Record<OperationName, unknown>;
  const texts = streamTexts(endsOnInput);
  return {
    encodeResponse: (name, response, request) => encoders[name]?.(response, request),
    eventWriter: (name) => texts(name, written),
    eventEncoder: (name) => (event) => written(event, endsOnInput(name, event)) as object,
    isLast: endsOnInput,
    closingEvent: closingEvent,
  };
}
