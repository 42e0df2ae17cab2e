import type { Route } from './route.ts'
import { listAudit } from './routes/audit/list.ts'
import { getHealth } from './routes/health/get.ts'

/** The table of contents of the public API. */
export const routes: Route[] = [getHealth, listAudit]

export const tags = [
  { name: 'service', description: 'The service itself.' },
  { name: 'audit', description: 'What was changed, when and by whom.' },
]
