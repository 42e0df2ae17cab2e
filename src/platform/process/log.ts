import { writeSync } from 'node:fs'
import pino from 'pino'
import { lazyModules } from './lazy-modules.ts'

export type Log = pino.Logger

/** Headers and members that can contain a secret. They are replaced in log lines. */
const redact = { paths: ['headers.authorization', 'req.headers.authorization', '*.secret'], censor: '[secret]' }

/** Matches API keys in messages, errors and values. */
const apiKeyPattern = /sb-v1-[0-9a-f]{64}/gi
const maskApiKeys = (line: string) => line.replace(apiKeyPattern, 'sb-v1-[secret]')
const hooks = { streamWrite: maskApiKeys }

type Format = 'auto' | 'json' | 'pretty'

/** Creates a logger that writes to standard error. Standard output is for the results of commands. */
export function createLog({ level, format }: { level: string; format: Format }, stream = logStream(format)): Log {
  return pino({ level, redact, hooks }, stream)
}

/** Accepts complete lines of JSON, and writes them to standard error in a format. */
export function logStream(format: Format): pino.DestinationStream {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stderr.isTTY)
  if (!isPretty) return bufferedStream(2)
  const prettyOptions = { ignore: 'pid,hostname', translateTime: 'HH:MM:ss', sync: true, singleLine: true }
  return lazyModules.pinoPretty()({ destination: 2, ...prettyOptions })
}

/**
 * Writes lines with one message at level `info`, in the logger's format, in less than half of its time: one call of
 * `JSON.stringify` serializes all members. Only API keys are masked, so no member may contain another secret.
 */
export function createLineWriter(log: Log, message: string): (fields: object) => void {
  const readInternal = <Part>(symbol: symbol) => (log as unknown as Record<symbol, Part>)[symbol]!
  const { streamSym, chindingsSym, lsCacheSym, timeSym } = pino.symbols
  const linePrefix = readInternal<Record<number, string>>(lsCacheSym)[pino.levels.values.info!]!
  const bindings = readInternal<string>(chindingsSym)
  const time = readInternal<() => string>(timeSym)
  const stream = readInternal<pino.DestinationStream>(streamSym)
  const lineEnd = `,"msg":${JSON.stringify(message)}}\n`
  return (fields) => {
    if (!log.isLevelEnabled('info')) return
    const members = JSON.stringify(fields).slice(1, -1)
    const line = `${linePrefix}${time()}${bindings}${members && ','}${members}${lineEnd}`
    // Every API key contains one of these texts. `includes` is faster than the regular expression.
    const canContainKey = line.includes('-v1-') || line.includes('-V1-')
    stream.write(canContainKey ? maskApiKeys(line) : line)
  }
}

/** The members of sonic-boom that are used here, in its content mode `buffer`. */
type SonicBoom = {
  write: (bytes: Buffer) => void
  on: (event: 'error', listener: () => void) => void
  flushSync: () => void
  /** Whether `_writingBuf` is being written. Otherwise its write has failed. */
  _writing: boolean
  _writingBuf: Buffer
  _bufs: Buffer[][]
}

/** Writes as much as the reader accepts within five seconds. Errors are ignored, because nothing is left to report them. */
function writeRest(dest: number, rest: Buffer): void {
  let position = 0
  let pauses = 0
  while (position < rest.length) {
    try {
      position += writeSync(dest, rest, position)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || pauses++ === 50) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    }
  }
}

/** The limits of buffered text. */
const bufferLimits = { characters: 4000, ms: 50 }

/**
 * Buffers lines for at most a tenth of a second, half of it in sonic-boom, and writes the remaining ones when the process ends.
 * Passes bytes to sonic-boom, because for text it measures the whole buffer with each line.
 */
function bufferedStream(dest: number): pino.DestinationStream {
  let text = ''
  let flushTimer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    if (text !== '') file.write(Buffer.from(text))
    text = ''
  }
  // Registered before the listeners of sonic-boom, which write its buffer synchronously.
  process.on('beforeExit', flush).on('exit', flush)
  // In bytes and milliseconds. sonic-boom writes from `minLength` on and every `periodicFlush`, at most `maxWrite` at once. Above
  // `maxLength` it drops lines, so that a reader that does not read cannot fill the memory.
  const bufferOptions = { minLength: 48_000, maxWrite: 64_000, maxLength: 16_000_000, periodicFlush: 50 }
  const file = pino.destination({ dest, sync: false, contentMode: 'buffer', ...bufferOptions } as Parameters<
    typeof pino.destination
  >[0]) as unknown as SonicBoom
  // If the reader of the log has closed the pipe, the process must not end.
  file.on('error', () => {})
  // At the end of the process, sonic-boom would repeat a write to a closed pipe forever.
  file.flushSync = () =>
    writeRest(dest, Buffer.concat([...(file._writing ? [] : [file._writingBuf]), ...file._bufs.flat()]))
  return {
    write(line) {
      text += line
      if (text.length >= bufferLimits.characters) flush()
      else flushTimer ??= setTimeout(flush, bufferLimits.ms).unref()
    },
  }
}
