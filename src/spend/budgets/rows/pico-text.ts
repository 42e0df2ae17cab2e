import { sql } from '#platform/db/kysely.ts'
import { exactly } from '../../ledger/exact.ts'

/** An amount of pico-dollars as text, because it can exceed the numbers of the driver. */
export const asText = (column: string) => exactly(sql.ref(column))
