import type { Log } from './log.ts'
import { throttleWarnings } from './warning-throttle.ts'

type Uncaught = {
  log: Pick<Log, 'error' | 'fatal' | 'info'>
  /** Ends the process as planned, and not twice: what was thrown may have left anything half done. */
  end: () => unknown
}

/**
 * For defects of ours. A promise that rejects, and that nobody waits for, concerns nobody else: it is told, with its stack,
 * and the process goes on. What is thrown and nobody catches is told, and ends the process as planned.
 */
export function tellUncaught({ log, end }: Uncaught): void {
  const unheard = throttleWarnings(
    { warn: log.error.bind(log), info: log.info.bind(log) },
    'something failed that nobody waits for; the service goes on. Please report this',
  )
  process.on('unhandledRejection', (reason) => unheard(asError(reason)))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: asError(error) }, 'something failed that nobody catches; the process ends. Please report this')
    end()
  })
}

const asError = (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown)))
