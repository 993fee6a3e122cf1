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

/** Functions of the application, and the limits on them. */
export interface Hooks {
  readonly logger: Logger;
  readonly telemetry: Telemetry | undefined;
  readonly audit: ((event: AuditEvent) => void) | undefined;
  readonly auth: AuthOptions;
  readonly interceptors: readonly Interceptor[];
  readonly limits: Pick<Complete<Limits>, "hookTime" | "logLines">;
}

/** The functions that the server calls instead of {@link Hooks}. */
export interface GuardedHooks extends Omit<Hooks, "limits"> {
  /** Maximum time for a hook that decides about a request; undefined for no limit. */
  readonly hookTimeout: HookTimeout | undefined;
}

/**
 * Wraps functions of the application: their errors cannot end the process, and repeated lines of the logger are limited. The server calls
 * these functions only through the wrappers.
 */
export function guardedHooks({ telemetry: unguarded, audit, limits, ...hooks }: Hooks): GuardedHooks {
  const dropped = () => {
    // Guarded telemetry would log a failure, and so count another dropped line.
    void callHook({ call: () => unguarded?.count("a2a.server.log.dropped", {}) }, ignore);
  };
  const logger = boundedLogger(safeLogger(hooks.logger), { lines: limits.logLines, dropped });
  const hookTimeout =
    limits.hookTime === Number.POSITIVE_INFINITY ? undefined : new Deadlines(limits.hookTime);
  return {
    logger,
    hookTimeout,
    telemetry: unguarded && guardedTelemetry(unguarded, logger),
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

/** Keeps a rejection from ending the process when an interceptor does not await the result of `proceed`. */
function guardedInterceptor(interceptor: Interceptor): Interceptor {
  return (operation, proceed) =>
    interceptor(operation, (changes) => {
      const answer = proceed(changes);
      answer.catch(ignore);
      return answer;
    });
}
