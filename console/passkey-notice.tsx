import { useEffect, useState } from 'preact/hooks'
import { call } from './api/client.ts'
import { hasPasskeySupport, isPasskeyAdded } from './api/passkeys.ts'
import type { Session } from './api/types.ts'

const passkeysPath = '/keys/passkeys'
const storageKey = 'no-passkey-notice'

/** A notice that offers a passkey to a member who signed in with a link and has none: the link does not work again. */
export function PasskeyNotice({ session, path }: { session: Session | undefined; path: string }) {
  const [isOpen, setOpen] = useState(false)
  const memberId = session?.method === 'link' ? session.member.id : undefined
  useEffect(() => {
    if (memberId !== undefined && !isDismissed()) canAddFirstPasskey(memberId).then(setOpen, () => {})
  }, [memberId])
  if (!isOpen || isPasskeyAdded.value || path === passkeysPath) return null
  const dismiss = () => {
    setOpen(false)
    rememberDismissal()
  }
  return (
    <p class="page-notice">
      <a href={passkeysPath}>Add a passkey</a> to sign in without a link next time.{' '}
      <button type="button" class="bare" onClick={dismiss}>
        Not now
      </button>
    </p>
  )
}

async function canAddFirstPasskey(user_id: string): Promise<boolean> {
  if (!hasPasskeySupport()) return false
  const { data: methods } = await call('GET /sessions/methods', {})
  if (!methods.includes('passkey')) return false
  const { total_count } = await call('GET /passkeys', { query: { user_id, limit: 1 } })
  return total_count === 0
}

function isDismissed(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null
  } catch {
    return false
  }
}

function rememberDismissal(): void {
  try {
    localStorage.setItem(storageKey, '1')
  } catch {
    // Without storage the notice returns after the next sign-in.
  }
}
