import pino from 'pino'
import { onDemand } from './on-demand.ts'

export type Log = pino.Logger

/** Headers and members that may hold a secret; they never reach a log line. */
const redact = { paths: ['headers.authorization', 'req.headers.authorization', '*.secret'], censor: '[secret]' }

/** Our keys, wherever a message, an error or a value may have picked one up. */
const anyKey = /sb-v1-[0-9a-f]{64}/gi
const hooks = { streamWrite: (line: string) => line.replace(anyKey, 'sb-v1-[secret]') }

/**
 * A logger on standard error: standard output belongs to what a person or a script reads. As JSON,
 * lines are written together, at most a tenth of a second late; the end of the process writes the last.
 */
export function createLog(options: { level: string; format: 'auto' | 'json' | 'pretty' }): Log {
  const asText = options.format === 'pretty' || (options.format === 'auto' && process.stderr.isTTY)
  const stream = asText
    ? onDemand.pinoPretty()({ destination: 2, ignore: 'pid,hostname', translateTime: 'HH:MM:ss', sync: true })
    : pino.destination({ dest: 2, sync: false, minLength: 8192, periodicFlush: 100 })
  return pino({ level: options.level, redact, hooks }, stream)
}
