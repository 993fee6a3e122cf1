import type { CallContext } from "../../protocol/call-context.js";
import { clientError } from "../../protocol/errors.js";
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  TaskPushNotificationConfig,
} from "../../protocol/model.js";
import { UnimplementedHandler } from "../../protocol/operations.js";
import type { PushConfigRegistry } from "../../push/push-configs.js";
import type { Scope } from "../../stores/task-store.js";

/** What the operations on push configs need. */
export interface PushOperationsOptions {
  /** Absent when the agent sends no push notifications. */
  readonly pushConfigs?: PushConfigRegistry;
  /** Whose tasks a call may touch. */
  readonly scopeOf: (call: CallContext) => Scope;
}

/** Answers the four operations on push configs (§3.1.7 to §3.1.10), and leaves the others to whoever extends it. */
export class PushOperations extends UnimplementedHandler<CallContext> {
  readonly #options: PushOperationsOptions;

  constructor(options: PushOperationsOptions) {
    super();
    this.#options = options;
  }

  override async createTaskPushNotificationConfig(
    config: TaskPushNotificationConfig,
    call: CallContext,
  ): Promise<TaskPushNotificationConfig> {
    return this.#configs().create(this.#options.scopeOf(call), config, call.version);
  }

  override async getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    call: CallContext,
  ): Promise<TaskPushNotificationConfig> {
    return this.#configs().get(this.#options.scopeOf(call), request);
  }

  override async listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    call: CallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.#configs().list(this.#options.scopeOf(call), request);
  }

  override async deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    call: CallContext,
  ): Promise<null> {
    return this.#configs().delete(this.#options.scopeOf(call), request);
  }

  #configs(): PushConfigRegistry {
    const { pushConfigs } = this.#options;
    if (pushConfigs === undefined) throw clientError("PUSH_NOTIFICATION_NOT_SUPPORTED");
    return pushConfigs;
  }
}
