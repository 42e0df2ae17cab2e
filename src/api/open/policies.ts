import { createInFlight } from '#accounts/in-flight.ts'
import { createKeyRing } from '#accounts/key-ring.ts'
import { keyReader } from '#accounts/read-keys.ts'
import { createCredentialsInUse } from '#byok/in-use.ts'
import { openVault } from '#byok/key-file.ts'
import { createInForce } from '#guardrails/in-force.ts'
import { createPresetsInUse } from '#presets/in-use.ts'
import type { Opening } from './parts.ts'
import type { Store } from './store.ts'

/** Who is calling, and what holds for them: kept in memory, and fresh while the database can be heard. */
export async function openPolicies({ parts: { now }, opened }: Opening, { settings, db, trust }: Store) {
  const keys = createKeyRing({ signals: db.signals, now, readKeys: keyReader({ db }), trust })
  opened.defer(keys.close)
  const inForce = createInForce({ db, now, trust })
  opened.defer(inForce.close)
  const inFlight = createInFlight({ signals: db.signals, keys })
  opened.defer(inFlight.close)
  const presets = createPresetsInUse({ db, now, trust })
  opened.defer(presets.close)
  const vault = await openVault({ db, settings })
  const ownCredentials = createCredentialsInUse({ db, now, vault, trust })
  opened.defer(ownCredentials.close)
  return { keys, inForce, inFlight, presets, vault, ownCredentials }
}
