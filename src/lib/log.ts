import pino from 'pino'
import { lazyModules } from './lazy-modules.ts'

export type Log = pino.Logger

/** Headers and members that may hold a secret; they never reach a log line. */
const redact = { paths: ['headers.authorization', 'req.headers.authorization', '*.secret'], censor: '[secret]' }

/** Our keys, wherever a message, an error or a value may have picked one up. */
const anyKey = /sb-v1-[0-9a-f]{64}/gi
const hooks = { streamWrite: (line: string) => line.replace(anyKey, 'sb-v1-[secret]') }

type Format = 'auto' | 'json' | 'pretty'

/** A logger on standard error: standard output belongs to what a person or a script reads. */
export function createLog({ level, format }: { level: string; format: Format }, stream = logStream(format)): Log {
  return pino({ level, redact, hooks }, stream)
}

/** Takes lines of JSON, each whole, and writes them to standard error in a format. */
export function logStream(format: Format): pino.DestinationStream {
  const asText = format === 'pretty' || (format === 'auto' && process.stderr.isTTY)
  if (!asText) return manyAtOnce(2)
  const written = { ignore: 'pid,hostname', translateTime: 'HH:MM:ss', sync: true, singleLine: true }
  return lazyModules.pinoPretty()({ destination: 2, ...written })
}

/**
 * Lines are written together, at most a tenth of a second late; the end of the process writes the last. Handed over as
 * bytes: of text, sonic-boom measures all that waits again with every line.
 */
function manyAtOnce(dest: number): pino.DestinationStream {
  const held = { minLength: 16_000, maxLength: 16_000_000, periodicFlush: 100 }
  const file = pino.destination({ dest, sync: false, contentMode: 'buffer', ...held } as Parameters<
    typeof pino.destination
  >[0])
  // The reader of the log is gone: that must not end the process.
  file.on('error', () => {})
  return { write: (line) => void (file as unknown as { write: (bytes: Buffer) => void }).write(Buffer.from(line)) }
}
