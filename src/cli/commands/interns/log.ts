import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { UserFacingError } from '#platform/core/fault.ts'
import { escapeControls } from '#platform/text/printable.ts'
import { apiKeyHelp, createApiClient, ServiceError } from '../../kit/api-client.ts'
import { internPath } from '../../kit/intern-path.ts'
import { wholeNumber } from '../../kit/option-parsers.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Log = { lines: string[]; has_more: boolean; message: string | null }
type LogOptions = { lines: number; follow?: true; json?: true }

/** The interval between two requests of `--follow`. */
const pollIntervalMs = 1000
/** The maximums of the route. `--follow` skips lines if more are added between two requests. */
const routeLimits = { lines: 5000, bytes: '262144' }

/** Prints the log of an intern's daemon. */
export function logCommand(interns: Command, { env, out, err }: Terminal): void {
  interns
    .command('log')
    .description('Print the last lines of the log of an intern’s daemon')
    .argument('<intern>', 'Name or ID of the intern')
    .option('--lines <count>', 'Maximum number of lines, 1 to 5,000', wholeNumber(1), 200)
    .option('--follow', 'Keep printing new lines until Ctrl-C')
    .option('--json', 'Print JSON; with --follow, one JSON string per line')
    .addHelpText('after', apiKeyHelp)
    .action(async (intern: string, { lines, follow, json }: LogOptions) => {
      const read = async (maxLines: number) => {
        const query = new URLSearchParams({ lines: String(maxLines), bytes: routeLimits.bytes })
        const path = internPath(intern, `/log?${query}`)
        return (await createApiClient(env, 'api').request<{ data: Log }>('GET', path)).data
      }
      const print = (line: string) => out(json ? JSON.stringify(line) : escapeControls(line))
      // Following compares reads with the same limits.
      const first = await read(follow ? routeLimits.lines : lines)
      if (json && !follow) return out(JSON.stringify(first, null, 2))
      if (first.message !== null) err(first.message)
      first.lines.slice(-lines).forEach(print)
      if (!follow) return
      const source = { read: () => read(routeLimits.lines), pause: () => sleep(pollIntervalMs), onError: err }
      for await (const line of followLog(first.lines, source)) print(line)
    })
}

/** `onError` receives the message of the first of several consecutive transient errors of `read`. */
type LogSource = {
  read: () => Promise<Pick<Log, 'lines'>>
  pause: () => Promise<unknown>
  onError: (message: string) => void
}

/** Yields the lines that follow `lines`, reading again after each `pause`. @throws errors of `read` that are not transient */
export async function* followLog(lines: string[], { read, pause, onError }: LogSource): AsyncGenerator<string> {
  let printedLines = lines
  for (let failures = 0; ; ) {
    await pause()
    try {
      const { lines: current } = await read()
      failures = 0
      yield* current.slice(countPrinted(current, printedLines))
      // Without a log there is nothing to compare the next read with.
      if (current.length > 0) printedLines = current
    } catch (error) {
      if (!isTransient(error)) throw error
      if (failures++ === 0) onError((error as Error).message)
    }
  }
}

/** Whether the service was unreachable or overloaded, so that a later read can succeed. */
const isTransient = (error: unknown) =>
  error instanceof ServiceError ? error.status >= 500 || error.status === 429 : error instanceof UserFacingError

/**
 * The number of lines at the start of `current` that were printed. Repeated lines can match at several positions. The longest
 * match is used, because lines are removed from the start only when the log exceeds the limits of the route.
 */
function countPrinted(current: string[], printedLines: string[]): number {
  const endsAt = (end: number) => {
    const overlap = Math.min(end, printedLines.length)
    return printedLines.slice(-overlap).every((line, at) => line === current[end - overlap + at])
  }
  if (printedLines.length === 0) return 0
  for (let end = printedLines.length; end <= current.length; end++) if (endsAt(end)) return end
  for (let end = Math.min(printedLines.length, current.length); end > 0; end--) if (endsAt(end)) return end
  return 0
}
