import { createKeyCache } from '#accounts/key-cache.ts'
import { keyReader } from '#accounts/read-keys.ts'
import { createRequestsInFlight } from '#accounts/requests-in-flight.ts'
import { createCredentialCache } from '#byok/credential-cache.ts'
import { openVault } from '#byok/key-file.ts'
import { createGuardrailCache } from '#guardrails/guardrail-cache.ts'
import { createPresetCache } from '#presets/preset-cache.ts'
import { createSessions } from '#sign-in/sessions.ts'
import { type Opening, warnOf } from './parts.ts'
import type { OpenStore } from './store.ts'

/** Callers and the rules that hold for them: caches, kept up to date while the database can be heard. */
export async function openPolicies(opening: Opening, { settings, db, allowStale }: OpenStore) {
  const { parts, opened } = opening
  const { now, config } = parts
  const keys = createKeyCache({ signals: db.signals, now, readKeys: keyReader({ db }), allowStale })
  opened.defer(keys.close)
  const guardrailCache = createGuardrailCache({ db, allowStale })
  opened.defer(guardrailCache.close)
  const sessions = createSessions({
    ...{ db, now, keys, allowStale },
    times: { idleMs: config.session_idle_minutes * 60_000, wholeMs: config.session_hours * 3_600_000 },
    onError: warnOf(opening, 'it is not written down that a session is in use'),
  })
  opened.defer(sessions.close)
  const inFlight = createRequestsInFlight({ signals: db.signals, keys, sessions })
  opened.defer(inFlight.close)
  const presets = createPresetCache({ db, allowStale })
  opened.defer(presets.close)
  const vault = await openVault({ db, settings })
  const ownCredentials = createCredentialCache({ db, vault, allowStale })
  opened.defer(ownCredentials.close)
  return { keys, sessions, guardrailCache, inFlight, presets, vault, ownCredentials }
}
