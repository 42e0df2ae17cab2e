import pino from 'pino'
import { lazyModules } from './lazy-modules.ts'

export type Log = pino.Logger

/** Headers and members that may hold a secret; they never reach a log line. */
const redact = { paths: ['headers.authorization', 'req.headers.authorization', '*.secret'], censor: '[secret]' }

/** API keys anywhere in a message, an error or a value. */
const anyKey = /sb-v1-[0-9a-f]{64}/gi
const masked = (line: string) => line.replace(anyKey, 'sb-v1-[secret]')
const hooks = { streamWrite: masked }

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
 * Writes lines of one message at level `info`, as the logger itself would, for less than half of its time: the engine
 * makes the JSON of all facts at once. Nothing is looked for in them but our keys: no member may hold another secret.
 */
export function plainLines(log: Log, message: string): (facts: object) => void {
  const own = <Part>(symbol: symbol) => (log as unknown as Record<symbol, Part>)[symbol]!
  const { streamSym, chindingsSym, lsCacheSym, timeSym } = pino.symbols
  const start = own<Record<number, string>>(lsCacheSym)[pino.levels.values.info!]!
  const bindings = own<string>(chindingsSym)
  const time = own<() => string>(timeSym)
  const stream = own<pino.DestinationStream>(streamSym)
  const end = `,"msg":${JSON.stringify(message)}}\n`
  return (facts) => {
    if (!log.isLevelEnabled('info')) return
    const members = JSON.stringify(facts).slice(1, -1)
    const line = `${start}${time()}${bindings}${members && ','}${members}${end}`
    // Every key has one of these within it, and looking for them is cheap.
    const mayHoldKey = line.includes('-v1-') || line.includes('-V1-')
    stream.write(mayHoldKey ? masked(line) : line)
  }
}

/** The limits of buffered text. */
const held = { characters: 4000, ms: 50 }

/**
 * Lines are written together, at most a tenth of a second late; the end of the process writes the last. Handed over as
 * bytes: of text, sonic-boom measures all that waits again with every line.
 */
function manyAtOnce(dest: number): pino.DestinationStream {
  let text = ''
  let waiting: NodeJS.Timeout | undefined
  const handOver = () => {
    clearTimeout(waiting)
    waiting = undefined
    if (text !== '') file.write(Buffer.from(text))
    text = ''
  }
  // Added before the listeners of the file, which write at once all that it has then.
  process.on('beforeExit', handOver).on('exit', handOver)
  const together = { minLength: 48_000, maxWrite: 64_000, maxLength: 16_000_000, periodicFlush: 50 }
  const file = pino.destination({ dest, sync: false, contentMode: 'buffer', ...together } as Parameters<
    typeof pino.destination
  >[0]) as unknown as { write: (bytes: Buffer) => void; on: (event: 'error', listener: () => void) => void }
  // The reader of the log is gone: that must not end the process.
  file.on('error', () => {})
  return {
    write(line) {
      text += line
      if (text.length >= held.characters) handOver()
      else waiting ??= setTimeout(handOver, held.ms).unref()
    },
  }
}
