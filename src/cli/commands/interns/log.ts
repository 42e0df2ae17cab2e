import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { withoutControls } from '#platform/text/printable.ts'
import { apiClient, internsHelp } from '../../kit/api-client.ts'
import { internPath } from '../../kit/intern-path.ts'
import type { Terminal } from '../../kit/terminal.ts'

type Log = { lines: string[]; has_more: boolean; message: string | null }
type LogOptions = { lines: string; follow?: true; json?: true }

/** While it is followed it is asked for so often. */
const lookEveryMs = 1000
/** So many lines may come between two looks. */
const followedLines = '5000'

/** What the daemon of an intern has said. */
export function logCommand(interns: Command, { env, out, err }: Terminal): void {
  interns
    .command('log')
    .description('print the end of the log of an intern’s daemon')
    .argument('<intern>', 'its name or id')
    .option('--lines <count>', 'how many lines at the most', '200')
    .option('--follow', 'go on with what comes, until Ctrl-C')
    .option('--json', 'print it as JSON; with --follow each line as a JSON string')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, { lines, follow, json }: LogOptions) => {
      const read = async (most: string) => {
        const query = new URLSearchParams({ lines: most, bytes: '262144' })
        const path = internPath(intern, `/log?${query}`)
        return (await apiClient(env, 'api').ask<{ data: Log }>('GET', path)).data
      }
      const print = (line: string) => out(json ? JSON.stringify(line) : withoutControls(line))
      const first = await read(lines)
      if (json && !follow) return out(JSON.stringify(first, null, 2))
      if (first.message !== null) err(first.message)
      first.lines.forEach(print)
      if (!follow) return
      for await (const line of followed(
        first.lines,
        () => read(followedLines),
        () => sleep(lookEveryMs),
      ))
        print(line)
    })
}

/** What is said after some lines, for as long as `pause` comes to an end. */
export async function* followed(
  lines: string[],
  read: () => Promise<Pick<Log, 'lines'>>,
  pause: () => Promise<unknown>,
): AsyncGenerator<string> {
  for (let known = lines; ; ) {
    await pause()
    const { lines: now } = await read()
    yield* now.slice(linesIn(now, known))
    known = now
  }
}

/** How many of the lines are known: those up to the last place where all that was known before ends. */
function linesIn(now: string[], known: string[]): number {
  if (known.length === 0) return 0
  for (let end = now.length; end > 0; end--) {
    const most = Math.min(end, known.length)
    if (now.slice(end - most, end).every((line, at) => line === known[known.length - most + at])) return end
  }
  return 0
}
