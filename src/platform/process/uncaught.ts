import type { Log } from './log.ts'
import { throttleWarnings } from './warning-throttle.ts'

type Uncaught = {
  log: Pick<Log, 'error' | 'fatal' | 'info'>
  /** Stops the process gracefully, because an uncaught exception can leave state inconsistent. */
  end: () => unknown
}

/**
 * Logs errors that no code handled. An unhandled rejection is logged with its stack, and the process continues. An uncaught
 * exception is logged, and stops the process.
 */
export function logUncaught({ log, end }: Uncaught): void {
  const warn = throttleWarnings(
    { warn: log.error.bind(log), info: log.info.bind(log) },
    'unhandled rejection; the service continues. Please report this',
  )
  process.on('unhandledRejection', (reason) => warn(asError(reason)))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: asError(error) }, 'uncaught exception; the process stops. Please report this')
    end()
  })
}

const asError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))
