import { signal } from '@preact/signals'
import { call } from './client.ts'
import { Failure } from './failure.ts'
import { signIn } from './session.ts'
import type { NewPasskey, Passkey, PasskeySignature } from './types.ts'

/** Whether this browser can create and use passkeys, and convert their JSON. */
export const hasPasskeySupport = () =>
  typeof PublicKeyCredential === 'function' && typeof PublicKeyCredential.parseCreationOptionsFromJSON === 'function'

/** Whether a passkey was added since the page was loaded. */
export const isPasskeyAdded = signal(false)

/** @throws Failure if the device or the service refuses. */
export async function signInWithPasskey(): Promise<void> {
  const { data } = await call('POST /sessions/passkeys/options', {})
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data as PublicKeyCredentialRequestOptionsJSON)
  const passkey = await navigator.credentials.get({ publicKey }).catch(throwFailure)
  await signIn({ passkey: jsonOf(passkey) as PasskeySignature })
}

/** Creates a passkey for the signed-in member. @throws Failure if the device or the service refuses. */
export async function addPasskey(name: string): Promise<Passkey> {
  const { data: options } = await call('POST /passkeys/options', {})
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  const passkey = await navigator.credentials.create({ publicKey }).catch(throwFailure)
  const response = jsonOf(passkey) as NewPasskey['response']
  const { data } = await call('POST /passkeys', { body: { name, response } })
  isPasskeyAdded.value = true
  return data
}

/**
 * Converts a passkey to JSON. Callers assert the type of the API, because that of the DOM lists each extension by name.
 * @param passkey never null here: browsers return null only for credentials of other kinds.
 */
const jsonOf = (passkey: Credential | null): object => (passkey as PublicKeyCredential).toJSON()

const messages: Record<string, string> = {
  NotAllowedError: 'No passkey was used: the request was cancelled, or it took too long.',
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: 'The browser does not support passkeys at this address.',
}

/** Converts an error of the browser. */
function throwFailure(error: Error): never {
  throw new Failure(0, messages[error.name] ?? `The browser could not use a passkey: ${error.message}`)
}
