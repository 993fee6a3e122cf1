import type { Extension } from "../agent/extension.js";
import { UpdateRefused } from "../agent/update-refused.js";
import type { Update } from "../agent/updates.js";
import type { SchemaCheck } from "../json/json-schema.js";
import { violationOf } from "../json/violation.js";
import type { CallContext } from "../protocol/call-context.js";
import { type FieldViolation, invalidParams } from "../protocol/errors.js";
import type { CancelTaskRequest, SendMessageRequest } from "../protocol/model.js";

/** Checks the data of the extensions that a caller has asked for; all other data is left alone (EXT-02, EXT-18). */
export interface ExtensionRules {
  /** Resolves when the schemas are compiled; rejects with a TypeError when one of them cannot be. */
  readonly ready: Promise<void>;
  /**
   * Checks the metadata of a request, of its message and of the message's parts.
   * @throws A2AError INVALID_PARAMS naming the member
   */
  checkRequest(request: SendMessageRequest | CancelTaskRequest, call: CallContext): Promise<void>;
  /**
   * Checks the metadata of what an executor yields, of its message or artifact and of their parts. The rules are ready then:
   * the request that started the executor was checked before.
   * @throws UpdateRefused
   */
  checkUpdate(update: Update, call: CallContext): void;
}

type Validators = ReadonlyMap<Extension, SchemaCheck>;

/** Starts to compile the schemas of an agent's extensions. Nothing is loaded when none has one. */
export function extensionRules(extensions: readonly Extension[]): ExtensionRules {
  let validators: Validators | undefined;
  const ready = compile(extensions).then((compiled) => {
    validators = compiled;
  });
  // Told to whoever waits for it; until somebody does, it is no unhandled rejection.
  ready.catch(() => undefined);
  const faultIn = (carriers: readonly Carrier[], call: CallContext): FieldViolation | undefined => {
    if (validators === undefined) throw new Error("The schemas of the extensions are not compiled yet");
    for (const { path, metadata } of carriers) {
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
      const message = "message" in request ? carriers("message", request.message) : [];
      const found = faultIn([...carriers("", request), ...message], call);
      if (found) throw invalidParams(found.field, found.description);
    },
    checkUpdate(update, call) {
      const found = call.extensions.size === 0 ? undefined : faultIn(carriersOf(update), call);
      if (found) throw new UpdateRefused(`${found.field} ${found.description}`);
    },
  };
}

async function compile(extensions: readonly Extension[]): Promise<Validators> {
  const validators = new Map<Extension, SchemaCheck>();
  for (const extension of extensions) {
    if (extension.check) validators.set(extension, extension.check);
    if (extension.check !== undefined || extension.schema === undefined) continue;
    const { Ajv2020 } = await import("ajv/dist/2020.js");
    try {
      // One instance each, so that schemas may have the same `$id`. In draft 2020-12 `format` only annotates.
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      validators.set(extension, ajv.compile(extension.schema));
    } catch (error) {
      throw new TypeError(`The schema of the extension ${extension.uri} is not valid`, { cause: error });
    }
  }
  return validators;
}

/** The extension that a metadata key belongs to: the one with the longest URI, as one URI may begin with another. */
function ownerOf(key: string, extensions: readonly Extension[]): Extension | undefined {
  const owners = extensions.filter((extension) => extension.owns(key));
  return owners.sort((one, other) => other.uri.length - one.uri.length)[0];
}

/** Where metadata was found. */
interface Carrier {
  readonly path: string;
  readonly metadata: object;
}

/** Metadata of an object and of its parts. Tolerant: an executor may yield anything, and its shape is checked elsewhere. */
function carriers(path: string, holder: unknown): Carrier[] {
  const { metadata, parts } = Object(holder);
  const at = path === "" ? "metadata" : `${path}.metadata`;
  return [
    ...(typeof metadata === "object" && metadata !== null ? [{ path: at, metadata }] : []),
    ...(Array.isArray(parts)
      ? parts.flatMap((part, index) => carriers(`${path}.parts[${index}]`, part))
      : []),
  ];
}

function carriersOf(update: Update): Carrier[] {
  const { statusUpdate, artifactUpdate, message } = Object(update);
  return [
    ...carriers("message", message),
    ...carriers("statusUpdate", statusUpdate),
    ...carriers("statusUpdate.status.message", statusUpdate?.status?.message),
    ...carriers("artifactUpdate", artifactUpdate),
    ...carriers("artifactUpdate.artifact", artifactUpdate?.artifact),
  ];
}
