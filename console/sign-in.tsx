import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { queryOf } from './api/address/address.ts'
import { withoutRoot } from './api/address/root.ts'
import { apiBase, call } from './api/client.ts'
import { asFailure, type Failure } from './api/failure.ts'
import { hasPasskeySupport, signInWithPasskey } from './api/passkeys.ts'
import { findSession, signIn } from './api/session.ts'
import type { Session } from './api/types.ts'

/** The page of an emailed link. It signs in at a click; if the link is invalid, the sign-in form says so. */
export function LinkSignIn({ link }: { link: string }) {
  const [failure, setFailure] = useState<Failure>()
  if (failure) return <SignIn failure={failure} />
  const submit = (event: Event) => {
    event.preventDefault()
    void signIn({ link }).catch((error) => setFailure(asFailure(error)))
  }
  return (
    <SignInForm onSubmit={submit}>
      <p class="dim">This link works once.</p>
      <button type="submit" class="main">
        Sign in
      </button>
    </SignInForm>
  )
}

/**
 * The sign-in form: exchanges a key for a session.
 * @param failure the reason why there is no session, such as its end. It says nothing about a key in the form.
 */
export function SignIn({ failure: initialFailure }: { failure: Failure | undefined }) {
  const field = useRef<HTMLInputElement>(null)
  const [failure, setFailure] = useState(initialFailure)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const key = field.current?.value.trim() ?? ''
    if (key === '') return field.current?.focus()
    setBusy(true)
    setFailure(undefined)
    try {
      await signIn({ key })
    } catch (error) {
      setFailure(asFailure(error))
      setBusy(false)
    }
  }
  return (
    <SignInForm onSubmit={submit}>
      <label for="key">Key</label>
      <input
        id="key"
        ref={field}
        type="password"
        autocomplete="off"
        spellcheck={false}
        placeholder="sb-v1-…"
        aria-invalid={failure?.status === 401 && failure !== initialFailure}
        aria-describedby="key-help"
      />
      <button type="submit" class="main" disabled={isBusy}>
        Sign in
      </button>
      {failure && (
        <p class="bad" role="alert">
          {failure.message} {failure.requestId && <code>{failure.requestId}</code>}{' '}
          {failure.status === 0 && failure === initialFailure && (
            <button type="button" onClick={() => void findSession()}>
              Retry
            </button>
          )}
        </p>
      )}
      <OtherSignInMethods onFailure={setFailure} />
      <p id="key-help" class="dim">
        The first start of the service prints two keys. A management key can see everything, an API key only its own
        requests. If you lost both, run <code>npx signalbox keys reset-management</code> on the server.
      </p>
    </SignInForm>
  )
}

function SignInForm({ onSubmit, children }: { onSubmit: (event: Event) => void; children: ComponentChildren }) {
  return (
    <main class="sign-in">
      <form onSubmit={onSubmit}>
        <h1>
          signal<i>·</i>box
        </h1>
        {children}
      </form>
    </main>
  )
}

/** The requested page, which is opened after sign-in. */
const returnPath = () => {
  const path = withoutRoot(location.pathname)
  return path === '/' ? undefined : path + location.search
}

/** The other sign-in methods of the service. If they cannot be loaded, only the key is offered. */
function OtherSignInMethods({ onFailure }: { onFailure: (failure: Failure | undefined) => void }) {
  const [methods, setMethods] = useState<Session['method'][]>([])
  useEffect(() => {
    call('GET /sessions/methods', {}).then(
      ({ data }) => setMethods(data),
      () => {},
    )
  }, [])
  const startPasskeySignIn = async () => {
    onFailure(undefined)
    await signInWithPasskey().catch((error) => onFailure(asFailure(error)))
  }
  return (
    <>
      {methods.includes('passkey') && hasPasskeySupport() && (
        <button type="button" onClick={() => void startPasskeySignIn()}>
          Sign in with a passkey
        </button>
      )}
      {/* With a target, because the router handles links to this origin without one, and the console has no page there. */}
      {methods.includes('oidc') && (
        <a class="button" href={`${apiBase}/sessions/oidc${queryOf({ return_to: returnPath() })}`} target="_top">
          Sign in with your organization’s account
        </a>
      )}
    </>
  )
}
