import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { escapeControls } from '#platform/text/printable.ts'
import { apiKeyHelp, createApiClient } from '../../kit/api-client.ts'
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
      const first = await read(lines)
      if (json && !follow) return out(JSON.stringify(first, null, 2))
      if (first.message !== null) err(first.message)
      first.lines.forEach(print)
      if (!follow) return
      for await (const line of followLog(
        first.lines,
        () => read(routeLimits.lines),
        () => sleep(pollIntervalMs),
      ))
        print(line)
    })
}

/** Yields the lines that follow `lines`, reading again after each `pause`. */
export async function* followLog(
  lines: string[],
  read: () => Promise<Pick<Log, 'lines'>>,
  pause: () => Promise<unknown>,
): AsyncGenerator<string> {
  for (let printedLines = lines; ; ) {
    await pause()
    const { lines: current } = await read()
    yield* current.slice(printedCount(current, printedLines))
    printedLines = current
  }
}

/** The number of lines in `current` that were printed: those up to the last position where `printedLines` ends. */
function printedCount(current: string[], printedLines: string[]): number {
  if (printedLines.length === 0) return 0
  for (let end = current.length; end > 0; end--) {
    const overlap = Math.min(end, printedLines.length)
    if (
      current.slice(end - overlap, end).every((line, at) => line === printedLines[printedLines.length - overlap + at])
    )
      return end
  }
  return 0
}
