import type { Route } from '../route.ts'
import { getHealth } from './get.ts'
import { getLiveness } from './live.ts'
import { getReadiness } from './ready.ts'
import { getHealthReport } from './report.ts'

export const healthRoutes = {
  getHealth,
  getLiveness,
  getReadiness,
  getHealthReport,
} satisfies Record<string, Route>
