import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { type InternRun, runStatuses } from '#interns/runs/run-record.ts'
import { apiClient, internsHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { wholeNumber } from '../../kit/whole-number.ts'

type Run = z.infer<typeof InternRun>

type RunsOptions = { status?: string; session?: string; background?: true; limit: number; json?: true }

/** Lists and cancels runs of an intern. */
export function runsCommands(interns: Command, { env, out }: Terminal): void {
  const client = () => apiClient(env, 'api')

  interns
    .command('runs')
    .description('List the runs of an intern, newest first')
    .argument('<intern>', 'Name or ID of the intern')
    .addOption(new Option('--status <status>', 'Filter by status').choices([...runStatuses]))
    .option('--session <id>', 'Filter by session')
    .option('--background', 'Only runs in the background, which continue when their caller disconnects')
    .option('--limit <count>', 'Maximum number of runs', wholeNumber(1), 20)
    .option('--json', 'Print JSON')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, { status, session, background, limit, json }: RunsOptions) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(status && { status }),
        ...(session && { session_id: session }),
        ...(background && { background: 'true' }),
      })
      const path = `/interns/${encodeURIComponent(intern)}/runs?${query}`
      const { data } = await client().request<{ data: Run[] }>('GET', path)
      out(json ? JSON.stringify(data, null, 2) : runTable(data))
    })

  interns
    .command('cancel')
    .description('Cancel a run of an intern')
    .argument('<intern>', 'Name or ID of the intern')
    .argument('<run>', 'ID of the run, as listed by "interns runs"')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, run: string) => {
      const path = `/interns/${encodeURIComponent(intern)}/runs/${encodeURIComponent(run)}/cancel`
      await client().request('POST', path)
      out(`Cancelled ${run}.`)
    })
}

function runTable(runs: Run[]): string {
  const rows = runs.map((run) => [
    run.created_at.slice(0, 19).replace('T', ' '),
    run.status === 'ended' ? (run.outcome ?? 'ended') : run.status,
    run.ended_at === null ? '-' : `${((Date.parse(run.ended_at) - Date.parse(run.created_at)) / 1000).toFixed(1)} s`,
    run.cost_usd === null ? '-' : `$${run.cost_usd.toFixed(4)}`,
    run.session_id,
    run.id,
    run.error ?? '',
  ])
  return table(['STARTED (UTC)', 'STATUS', 'DURATION', 'COST', 'SESSION', 'RUN', 'ERROR'], rows)
}
