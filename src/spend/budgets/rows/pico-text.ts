import { sql } from '#platform/db/kysely.ts'
import { exactText } from '../../ledger/sums/exact.ts'

/** An amount of pico-dollars as text, because it can exceed the numbers of the driver. */
export const asText = (column: string) => exactText(sql.ref(column))
