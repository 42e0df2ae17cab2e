import { type Overrides, printJson } from '../api-command.ts'

const noCommandForProbes = { without: 'For load balancers, without a key: "curl" prints it.' }

const requestFilters: Record<string, [flags: string, help: string]> = {
  from: ['--from <instant>', 'Only requests that started at or after this time, such as 2030-01-31T00:00:00Z'],
  to: ['--to <instant>', 'Only requests that started before this time'],
  api_key_hash: ['--key <hash>', 'Filter by key: its complete hash'],
  session_id: ['--session <id>', 'Filter by session'],
  user_id: ['--member <email>', 'Filter by member'],
  workspace_id: ['--workspace <slug>', 'Filter by workspace'],
}
const requestId = { name: 'id', help: 'ID of the request, as listed by "requests list"' }

/** Commands for the request log, analytics and the state of the service. */
export const usage = {
  getHealth: noCommandForProbes,
  getLiveness: noCommandForProbes,
  getReadiness: noCommandForProbes,
  getHealthReport: noCommandForProbes,
  getMetrics: { without: 'Prometheus reads it.' },
  listEvents: { without: 'A stream for programs and the console.' },
  getStatus: {
    name: 'service status',
    description: 'Print the status of the service and its servers as JSON',
    print: printJson,
  },
  listSettings: {
    name: 'service settings',
    description: 'List the effective settings of the running service, without secrets',
    columns: ['name', 'value', 'source', 'variable'],
  },
  getGeneration: { handWritten: 'requests show' },
  getGenerationContent: { handWritten: 'requests show' },
  listGenerations: { handWritten: 'requests list' },
  releaseGenerations: { handWritten: 'requests release' },
  deleteGenerationContent: {
    name: 'requests delete-content',
    arguments: { id: requestId },
    resultMessage: ({ id }) => `Deleted the content of ${id}.`,
  },
  getGenerationsExport: {
    name: 'requests export',
    options: requestFilters,
  },
  listActivity: { handWritten: 'usage' },
  listDailyRankings: {
    name: 'analytics rankings',
    options: { modality: false, context_bucket: false, category: false, language_type: false },
  },
  listActivitySums: {
    name: 'analytics sums',
    options: requestFilters,
    limit: [100, 'Maximum number of groups, 1 to 1,000'],
  },
  addGenerationFeedback: {
    name: 'requests feedback',
    arguments: { generation_id: requestId },
    resultMessage: ({ generation_id }) => `Reported a problem with ${generation_id}.`,
  },
  queryAnalytics: {
    name: 'analytics query',
    description: 'Query sums, rates and percentiles of requests, and print them as JSON',
    print: printJson,
  },
  getAnalyticsMeta: {
    name: 'analytics metrics',
    description: 'List the metrics of "analytics query"',
    rows: ({ metrics }: { metrics: unknown[] }) => metrics,
    columns: ['name', 'display_format', 'description'],
  },
  getCredits: { without: 'For clients of other services. At the terminal: "usage" and "budgets list".' },
} satisfies Overrides
