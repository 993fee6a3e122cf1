import type { Extension } from "../agent/extension.js";
import { UpdateRefused } from "../agent/update-refused.js";
import type { Update } from "../agent/updates.js";
import type { SchemaCheck } from "../json/json-schema.js";
import { violationOf } from "../json/violation.js";
import type { CallContext } from "../protocol/call-context.js";
import { type FieldViolation, invalidParams } from "../protocol/errors.js";
import type { CancelTaskRequest, SendMessageRequest } from "../protocol/model.js";

/** Checks the metadata of the extensions that are active for a call (§4.6). Other metadata is not checked. */
export interface ExtensionRules {
  /** Resolves when the schemas are prepared; rejects with a TypeError if one without a compiled check cannot be used. */
  readonly ready: Promise<void>;
  /**
   * Checks the metadata of a request, of its message and of the message's parts. Waits for `ready` first if the call has extensions.
   * @throws A2AError INVALID_PARAMS naming the member; the error of `ready`
   */
  checkRequest(request: SendMessageRequest | CancelTaskRequest, call: CallContext): Promise<void>;
  /**
   * Checks the metadata of an update, of its message or artifact and of their parts. Has no effect if the call has no extensions.
   * @throws UpdateRefused naming the member; Error if the call has extensions and `ready` has not resolved
   */
  checkUpdate(update: Update, call: CallContext): void;
}

type Validators = ReadonlyMap<Extension, SchemaCheck>;

/** Starts to prepare the schemas of an agent's extensions. A schema without a compiled check is interpreted, which needs no `eval`. */
export function extensionRules(extensions: readonly Extension[]): ExtensionRules {
  let validators: Validators | undefined;
  const ready = prepare(extensions).then((prepared) => {
    validators = prepared;
  });
  // The code that awaits `ready` handles a rejection. One that comes earlier would be unhandled, and could end the process.
  ready.catch(() => undefined);
  const faultIn = (found: readonly FoundMetadata[], call: CallContext): FieldViolation | undefined => {
    if (validators === undefined) throw new Error("The schemas of the extensions are not prepared yet");
    for (const { path, metadata } of found) {
      for (const [key, value] of Object.entries(metadata)) {
        const owner = ownerOf(key, extensions);
        const validate = owner?.isActive(call) ? validators.get(owner) : undefined;
        if (validate && !validate(value))
          return violationOf(validate.errors, `${path}[${JSON.stringify(key)}]`);
      }
    }
    return undefined;
  };
  return {
    ready,
    async checkRequest(request, call) {
      if (call.extensions.size === 0) return;
      await ready;
      const message = "message" in request ? metadataIn("message", request.message) : [];
      const found = faultIn([...metadataIn("", request), ...message], call);
      if (found) throw invalidParams(found.field, found.description);
    },
    checkUpdate(update, call) {
      const found = call.extensions.size === 0 ? undefined : faultIn(metadataOf(update), call);
      if (found) throw new UpdateRefused(`${found.field} ${found.description}`);
    },
  };
}

async function prepare(extensions: readonly Extension[]): Promise<Validators> {
  const validators = new Map<Extension, SchemaCheck>();
  for (const extension of extensions) {
    if (extension.check) validators.set(extension, extension.check);
    if (extension.check !== undefined || extension.schema === undefined) continue;
    const { interpretSchema } = await import("../json/schema/interpret-schema.js");
    try {
      validators.set(extension, interpretSchema(extension.schema));
    } catch (error) {
      throw new TypeError(`The schema of the extension ${extension.uri} cannot be used`, { cause: error });
    }
  }
  return validators;
}

/** The extension that a metadata key belongs to. If several match, the one with the longest URI wins. */
function ownerOf(key: string, extensions: readonly Extension[]): Extension | undefined {
  const owners = extensions.filter((extension) => extension.owns(key));
  return owners.sort((one, other) => other.uri.length - one.uri.length)[0];
}

/** Metadata, and its path in the request or update. */
interface FoundMetadata {
  readonly path: string;
  readonly metadata: object;
}

/** The metadata of an object and of its parts. Accepts any value: the shape of an update is checked elsewhere. */
function metadataIn(path: string, holder: unknown): FoundMetadata[] {
  const { metadata, parts } = Object(holder);
  const at = path === "" ? "metadata" : `${path}.metadata`;
  return [
    ...(typeof metadata === "object" && metadata !== null ? [{ path: at, metadata }] : []),
    ...(Array.isArray(parts)
      ? parts.flatMap((part, index) => metadataIn(`${path}.parts[${index}]`, part))
      : []),
  ];
}

function metadataOf(update: Update): FoundMetadata[] {
  const { statusUpdate, artifactUpdate, message } = Object(update);
  return [
    ...metadataIn("message", message),
    ...metadataIn("statusUpdate", statusUpdate),
    ...metadataIn("statusUpdate.status.message", statusUpdate?.status?.message),
    ...metadataIn("artifactUpdate", artifactUpdate),
    ...metadataIn("artifactUpdate.artifact", artifactUpdate?.artifact),
  ];
}
