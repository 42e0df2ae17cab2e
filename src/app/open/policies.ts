import { createPresetCache } from '#gateway/presets/preset-cache.ts'
import { createKeyCache } from '#identity/accounts/keys/key-cache.ts'
import { createKeyReader } from '#identity/accounts/keys/read-keys.ts'
import { RequestsInFlight } from '#identity/accounts/requests-in-flight.ts'
import { createCredentialCache } from '#identity/provider-keys/credential-cache.ts'
import { openVault } from '#identity/provider-keys/key-file.ts'
import { Sessions } from '#identity/sign-in/sessions.ts'
import { hourMs } from '#platform/core/clock.ts'
import { createGuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import { createWarning, type OpenContext } from './parts.ts'
import type { OpenStore } from './store.ts'
import { openTokens } from './tokens.ts'

/** Callers and their policies. The caches are current while notifications of the database arrive. */
export async function openPolicies(context: OpenContext, { settings, db, allowStale }: OpenStore) {
  const { parts, cleanup } = context
  const { now, config } = parts
  const keys = createKeyCache({ signals: db.signals, now, readKeys: createKeyReader({ db }), allowStale })
  cleanup.defer(keys.close)
  const guardrailCache = createGuardrailCache({ db, allowStale })
  cleanup.defer(guardrailCache.close)
  const sessions = new Sessions({
    db,
    now,
    newId: parts.newId,
    keys,
    allowStale,
    lifetimes: { idleMs: config.session_idle_minutes * 60_000, totalMs: config.session_hours * hourMs },
    onError: createWarning(context, 'the last use of a session was not recorded'),
  })
  cleanup.defer(() => sessions.close())
  const tokens = openTokens(context, { db, keys, guardrailCache })
  const inFlight = new RequestsInFlight({ signals: db.signals, keys, sessions, tokens })
  cleanup.defer(() => inFlight.close())
  const presets = createPresetCache({ db, allowStale })
  cleanup.defer(presets.close)
  const vault = await openVault({ db, settings })
  const ownCredentials = createCredentialCache({ db, vault, allowStale })
  cleanup.defer(ownCredentials.close)
  return { keys, sessions, tokens, guardrailCache, inFlight, presets, vault, ownCredentials }
}
