import { listActivityRoute } from './activity/list.ts'
import { listActivitySums } from './activity/sums.ts'
import { getAnalyticsMeta } from './analytics/meta.ts'
import { queryAnalytics } from './analytics/query.ts'
import { answerByLink } from './answers/answer.ts'
import { showAnswerPage } from './answers/show.ts'
import { listAuditEvents } from './audit/list.ts'
import { budgetRoutes } from './budgets/routes.ts'
import { byokRoutes } from './byok/routes.ts'
import { getCatalogue } from './catalogue/get.ts'
import { reloadCatalogueRoute } from './catalogue/reload.ts'
import { completionRoutes } from './completions/client-routes.ts'
import { countMessageTokens } from './completions/count-tokens.ts'
import { getCredits } from './credits/get.ts'
import { listDailyRankings } from './datasets/rankings.ts'
import { getEndpointHistory } from './endpoints/history.ts'
import { listEndpoints } from './endpoints/list.ts'
import { listZdrEndpoints } from './endpoints/list-zdr.ts'
import { listEvents } from './events/list.ts'
import { generationRoutes } from './generations/routes.ts'
import { guardrailRoutes } from './guardrails/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { internRoutes } from './interns/routes.ts'
import { getCurrentKey } from './key/get.ts'
import { getCurrentKeyByOldPath } from './key/get-by-old-path.ts'
import { keyRoutes } from './keys/routes.ts'
import { getMetrics } from './metrics/get.ts'
import { modelRoutes } from './models/routes.ts'
import { createToken } from './oauth/token.ts'
import { organizationRoutes } from './organization/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { presetRoutes } from './presets/routes.ts'
import { listProviders } from './providers/list.ts'
import type { Route } from './route.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { listSettings } from './settings/list.ts'
import { getStatus } from './status/get.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { workspaceRoutes } from './workspaces/routes.ts'

/**
 * All routes of the public API, in the order of the API description. Each name is the operation id: a verb and its object.
 * Generated clients use it as the name of a method, so renaming one breaks them.
 */
const tables: Record<string, Route>[] = [
  healthRoutes,
  { getMetrics, getStatus, listSettings, listEvents },
  completionRoutes,
  { countMessageTokens },
  generationRoutes,
  { listActivity: listActivityRoute, listActivitySums, listDailyRankings },
  { queryAnalytics, getAnalyticsMeta, getCredits },
  modelRoutes,
  {
    listEndpoints,
    listZdrEndpoints,
    getEndpointHistory,
    listProviders,
    getCatalogue,
    reloadCatalogue: reloadCatalogueRoute,
  },
  internRoutes,
  guardrailRoutes,
  presetRoutes,
  { showAnswerPage, answerByLink },
  webhookRoutes,
  byokRoutes,
  { getCurrentKey, getCurrentKeyByOldPath },
  keyRoutes,
  sessionRoutes,
  { createToken },
  passkeyRoutes,
  workspaceRoutes,
  budgetRoutes,
  organizationRoutes,
  { listAuditEvents },
]

export const routes: Route[] = tables
  .flatMap((table) => Object.entries(table))
  .map(([operationId, route]) => ({ operationId, ...route }))

export const tags = [
  { name: 'service', description: 'The status and health of the service.' },
  { name: 'completions', description: 'Responses of models from any provider that serves them.' },
  { name: 'usage', description: 'Usage and costs of requests.' },
  { name: 'models', description: 'Models and prices.' },
  { name: 'endpoints', description: 'Endpoints of models, with prices and measurements.' },
  { name: 'providers', description: 'Providers of models.' },
  { name: 'catalogue', description: 'The sources of models, providers and prices.' },
  { name: 'interns', description: 'Long-running agents that ask before they act.' },
  { name: 'guardrails', description: 'Limits on spend, models, providers, regions, retention and content.' },
  { name: 'presets', description: 'Named, versioned configurations of requests.' },
  { name: 'webhooks', description: 'URLs that receive events about interns and limits.' },
  { name: 'byok', description: 'Provider keys of workspaces (BYOK).' },
  { name: 'keys', description: 'The keys of the organization, and the calling one.' },
  { name: 'sessions', description: 'Browser sessions of members.' },
  { name: 'passkeys', description: 'Passkeys with which members sign in.' },
  { name: 'workspaces', description: 'Workspaces: parts of the organization.' },
  { name: 'organization', description: 'The organization and its members.' },
  { name: 'audit', description: 'The audit log of changes.' },
]
