import type { BudgetsTables } from './tables/budgets-tables.ts'
import type { CatalogueTables } from './tables/catalogue-tables.ts'
import type { IdentityTables } from './tables/identity-tables.ts'
import type { InternsTables } from './tables/interns-tables.ts'
import type { LedgerTables } from './tables/ledger-tables.ts'
import type { PlatformTables } from './tables/platform-tables.ts'
import type { PolicyTables } from './tables/policy-tables.ts'
import type { RollupsTables } from './tables/rollups-tables.ts'
import type { WebhooksTables } from './tables/webhooks-tables.ts'

/**
 * The columns of every table: text, integers and JSON as text. Times are milliseconds since the epoch, booleans are 0 or 1.
 * The folder of each noun converts its rows to objects; no other code reads them.
 */
export type Tables = IdentityTables &
  PolicyTables &
  CatalogueTables &
  LedgerTables &
  RollupsTables &
  BudgetsTables &
  InternsTables &
  WebhooksTables &
  PlatformTables
