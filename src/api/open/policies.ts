import { createKeyCache } from '#accounts/key-cache.ts'
import { keyReader } from '#accounts/read-keys.ts'
import { createRequestsInFlight } from '#accounts/requests-in-flight.ts'
import { createCredentialCache } from '#byok/credential-cache.ts'
import { openVault } from '#byok/key-file.ts'
import { createGuardrailCache } from '#guardrails/guardrail-cache.ts'
import { createPresetCache } from '#presets/preset-cache.ts'
import type { Opening } from './parts.ts'
import type { OpenStore } from './store.ts'

/** Callers and the rules that hold for them: caches, kept up to date while the database can be heard. */
export async function openPolicies({ parts: { now }, opened }: Opening, { settings, db, allowStale }: OpenStore) {
  const keys = createKeyCache({ signals: db.signals, now, readKeys: keyReader({ db }), allowStale })
  opened.defer(keys.close)
  const guardrailCache = createGuardrailCache({ db, now, allowStale })
  opened.defer(guardrailCache.close)
  const inFlight = createRequestsInFlight({ signals: db.signals, keys })
  opened.defer(inFlight.close)
  const presets = createPresetCache({ db, now, allowStale })
  opened.defer(presets.close)
  const vault = await openVault({ db, settings })
  const ownCredentials = createCredentialCache({ db, now, vault, allowStale })
  opened.defer(ownCredentials.close)
  return { keys, guardrailCache, inFlight, presets, vault, ownCredentials }
}
