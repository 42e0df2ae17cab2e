import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { type InternRun, runStatuses } from '#interns/runs/run-record.ts'
import { apiClient, internsHelp } from '../../kit/api-client.ts'
import { table } from '../../kit/table.ts'
import type { Terminal } from '../../kit/terminal.ts'
import { wholeNumber } from '../../kit/whole-number.ts'

type Run = z.infer<typeof InternRun>

type RunsOptions = { status?: string; session?: string; background?: true; limit: number; json?: true }

/** The turns of an intern, and the end of one. */
export function runsCommands(interns: Command, { env, out }: Terminal): void {
  const client = () => apiClient(env, 'api')

  interns
    .command('runs')
    .description('list the turns of an intern, the latest first')
    .argument('<intern>', 'its name or id')
    .addOption(new Option('--status <status>', 'only those in this state').choices([...runStatuses]))
    .option('--session <id>', 'only those of one session')
    .option('--background', 'only those that go on when their caller leaves')
    .option('--limit <count>', 'how many at the most', wholeNumber(1), 20)
    .option('--json', 'print them as JSON')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, { status, session, background, limit, json }: RunsOptions) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(status && { status }),
        ...(session && { session_id: session }),
        ...(background && { background: 'true' }),
      })
      const path = `/interns/${encodeURIComponent(intern)}/runs?${query}`
      const { data } = await client().ask<{ data: Run[] }>('GET', path)
      out(json ? JSON.stringify(data, null, 2) : runTable(data))
    })

  interns
    .command('cancel')
    .description('end a turn of an intern')
    .argument('<intern>', 'its name or id')
    .argument('<run>', 'its id, as "interns runs" lists it')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, run: string) => {
      const path = `/interns/${encodeURIComponent(intern)}/runs/${encodeURIComponent(run)}/cancel`
      await client().ask('POST', path)
      out('It is cancelled.')
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
  return table(['BEGAN (UTC)', 'STATE', 'TOOK', 'COST', 'SESSION', 'RUN', 'ERROR'], rows)
}
