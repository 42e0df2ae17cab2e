import type { z } from 'zod'
import type { InternResponse, ListedHost } from '#interns/registry/intern.ts'
import type { InternRun } from '#interns/runs/run-record.ts'
import { countWithNoun, formatSecond, usd } from '../../kit/format.ts'
import { columns, type Overrides, printJson } from '../api-command.ts'

type Run = z.infer<typeof InternRun>
type Request = { id: string; created_at: string; model: string; outcome: string; cost_usd: number; is_shared: boolean }
type RequestPage = { requests: Request[]; request_count: number; total_cost_usd: number }

const noCommandForStreams = { without: 'A stream for programs. At the terminal: "signalbox chat".' }

/** Commands for interns. */
export const interns = {
  chatWithIntern: { handWritten: 'chat' },
  createInternSessionChatCompletion: { handWritten: 'chat' },
  listInterns: {
    description: 'List your interns and those shared with your workspace',
    options: {
      workspace_id: ['--workspace <slug>', 'Only those of this workspace'],
      status: ['--status <names>', 'Filter by status; several are separated by commas'],
    },
    columns: columns<InternResponse>({
      NAME: (intern) => intern.name,
      STATUS: (intern) => (intern.progress ? `${intern.status}: ${intern.progress.step_label}` : intern.status),
      AGENT: ({ agent }) => (typeof agent === 'string' ? agent : (agent?.command ?? 'builtin')),
      MODEL: (intern) => intern.model ?? '-',
      VISIBILITY: (intern) => intern.visibility,
      HOST: ({ host }) => hostText(host),
      ID: (intern) => intern.id,
      'LAST FAILURE': (intern) => intern.last_failure_message ?? '',
    }),
  },
  createIntern: { handWritten: 'interns create' },
  updateIntern: {
    description: 'Update an intern. The changes take effect at its next start',
    // "interns budget" and "interns mcp" change these; the repository contains a password.
    options: { repository: false, mcp_servers: false, budget: false },
  },
  deleteIntern: {
    description: 'Delete an intern and its files',
    // The API accepts this field for other clients. It has no effect.
    options: { acknowledge_workspace_loss: false },
    resultMessage: ({ internId }) => `"${internId}" is being deleted.`,
  },
  provisionIntern: { description: 'Start an intern', resultMessage: ({ internId }) => `"${internId}" is starting.` },
  suspendIntern: {
    description: 'Stop an intern and keep its files',
    resultMessage: ({ internId }) => `"${internId}" stopped.`,
  },
  moveIntern: { handWritten: 'interns move' },
  giveUpIntern: { handWritten: 'interns give-up' },
  listInternHosts: {
    name: 'interns hosts',
    description: 'List the hosts of interns, including lost ones',
    columns: columns<ListedHost>({
      NAME: (host) => host.name,
      STATE: (host) => host.state,
      'LOST SINCE (UTC)': (host) => formatSecond(host.since),
      LABELS: (host) => host.labels.join(', ') || '-',
      'CAPACITY USED': (host) => `${host.capacity_used} of ${host.capacity ?? 'unlimited'}`,
      INTERNS: (host) => String(host.interns),
      REASON: (host) => host.reason ?? '',
    }),
  },
  listQuestions: { handWritten: 'interns questions' },
  listInternQuestions: { handWritten: 'interns questions' },
  getInternQuestion: { name: 'interns question', description: 'Show an open question with all details' },
  getInternRules: { handWritten: 'interns rules get' },
  setInternRules: { handWritten: 'interns rules set' },
  replayInternRules: { handWritten: 'interns rules replay' },
  listInternRuns: {
    name: 'interns runs',
    description: 'List the runs of an intern, newest first',
    options: {
      status: ['--status <status>', 'Filter by status: running, waiting or ended'],
      session_id: ['--session <id>', 'Filter by session'],
      background: ['--background', 'Only runs in the background, which continue when their caller disconnects'],
    },
    limit: [20, 'Maximum number of runs'],
    columns: columns<Run>({
      'STARTED (UTC)': (run) => formatSecond(run.created_at),
      STATUS: (run) => (run.status === 'ended' ? (run.outcome ?? 'ended') : run.status),
      DURATION: (run) =>
        run.ended_at === null
          ? '-'
          : `${((Date.parse(run.ended_at) - Date.parse(run.created_at)) / 1000).toFixed(1)} s`,
      COST: (run) => (run.cost_usd === null ? '-' : `$${run.cost_usd.toFixed(4)}`),
      SESSION: (run) => run.session_id,
      RUN: (run) => run.id,
      ERROR: (run) => run.error ?? '',
    }),
  },
  getInternRun: { name: 'interns run', description: 'Show a run of an intern' },
  cancelInternRun: {
    name: 'interns cancel',
    resultMessage: ({ runId }) => `Cancelled ${runId}.`,
  },
  listInternSessions: {
    name: 'interns sessions',
    description: 'List the sessions of an intern, newest first',
    columns: ['updated_at', 'status', 'turns', 'id', 'title'],
  },
  getInternSession: {
    name: 'interns transcript',
    description: 'Print the last entries of the transcript of a session as JSON',
    limit: [100, 'Maximum number of entries'],
    print: printJson,
  },
  listInternSessionEvents: noCommandForStreams,
  listInternSessionRequests: {
    name: 'interns requests',
    description: 'List the model requests of a session with their cost, oldest first',
    limit: [200, 'Maximum number of requests'],
    rows: ({ requests }: RequestPage) => requests,
    columns: columns<Request>({
      'STARTED (UTC)': (request) => formatSecond(request.created_at),
      MODEL: (request) => request.model,
      OUTCOME: (request) => request.outcome,
      COST: (request) => usd(request.cost_usd),
      REQUEST: (request) => request.id,
      NOTE: (request) => (request.is_shared ? 'possibly of another session' : ''),
    }),
    summary: ({ request_count, total_cost_usd }: RequestPage) =>
      `${countWithNoun(request_count, 'request')}, ${usd(total_cost_usd)}`,
  },
  getInternLog: { handWritten: 'interns log' },
  listInternFiles: { handWritten: 'interns files ls' },
  deleteInternFile: { handWritten: 'interns files rm' },
  getInternFile: { handWritten: 'interns files get' },
  writeInternFile: { handWritten: 'interns files put' },
  createInternFolder: { handWritten: 'interns files mkdir' },
  renameInternFile: { handWritten: 'interns files mv' },
  getInternArchive: { handWritten: 'interns files pull' },
  writeInternArchive: { handWritten: 'interns files push' },
} satisfies Overrides

function hostText(host: InternResponse['host']): string {
  if (host === null) return '-'
  return host.state === 'gone' ? `${host.name} (gone)` : host.name
}
