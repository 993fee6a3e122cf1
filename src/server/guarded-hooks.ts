import { Deadlines } from "../async/deadlines.js";
import { callHook, type HookTimeout } from "../async/hook.js";
import type { AuthOptions } from "../auth/auth-options.js";
import { guardedAuth } from "../auth/guarded-auth.js";
import type { Complete } from "../json/omit.js";
import type { AuditEvent } from "../observability/audit-event.js";
import { boundedLogger, safeLogger } from "../observability/bounded-logger.js";
import { guardedTelemetry } from "../observability/guarded-telemetry.js";
import type { Telemetry } from "../observability/telemetry.js";
import type { Logger } from "../protocol/logger.js";
import type { Interceptor } from "./interceptors/interceptor.js";
import type { Limits } from "./limits.js";

/** Functions that the application gave, and the bounds on them. */
export interface Hooks {
  readonly logger: Logger;
  readonly telemetry: Telemetry | undefined;
  readonly audit: ((event: AuditEvent) => void) | undefined;
  readonly auth: AuthOptions;
  readonly interceptors: readonly Interceptor[];
  readonly limits: Pick<Complete<Limits>, "hookTime" | "logLines">;
}

/** What the server calls in place of {@link Hooks}. */
export interface GuardedHooks extends Omit<Hooks, "limits"> {
  /** How long hooks that decide are waited for; undefined when it is for as long as they like. */
  readonly hookTimeout: HookTimeout | undefined;
}

/**
 * Makes hooks that cannot end the process, and a logger that callers cannot flood. The server calls functions of the application
 * in this form only.
 */
export function guardedHooks({ telemetry: told, audit, limits, ...hooks }: Hooks): GuardedHooks {
  const dropped = () => {
    // Not by the guarded telemetry: that one logs.
    void callHook({ call: () => told?.count("a2a.server.log.dropped", {}) }, ignore);
  };
  const logger = boundedLogger(safeLogger(hooks.logger), { lines: limits.logLines, dropped });
  const hookTimeout =
    limits.hookTime === Number.POSITIVE_INFINITY ? undefined : new Deadlines(limits.hookTime);
  return {
    logger,
    hookTimeout,
    telemetry: told && guardedTelemetry(told, logger),
    auth: guardedAuth(hooks.auth, { logger, hookTimeout }),
    interceptors: hooks.interceptors.map(guardedInterceptor),
    audit:
      audit &&
      ((event) => {
        const failed = (err: Error) =>
          logger.error({ err, hook: "audit", kind: event.kind }, "A hook failed");
        void callHook({ call: () => audit(event) }, failed);
      }),
  };
}

const ignore = (): void => undefined;

/** What an interceptor proceeds to may fail without the interceptor waiting for it. */
function guardedInterceptor(interceptor: Interceptor): Interceptor {
  return (operation, proceed) =>
    interceptor(operation, (changes) => {
      const answer = proceed(changes);
      answer.catch(ignore);
      return answer;
    });
}
