import { reachableUrl } from '#api/access/address.ts'
import type { ProviderNeeds } from '#catalogue/sources/provider-needs.ts'
import type { FirstKeys } from '#identity/accounts/bootstrap.ts'
import type { Service } from './start.ts'

/** Printed instead of keys that the operator configured. The operator knows them, and logs store all printed text. */
const placeholders = { managementKey: '$BOOTSTRAP_MANAGEMENT_KEY', apiKey: '$BOOTSTRAP_API_KEY' }

type WelcomeFacts = Pick<Service, 'url' | 'consoleUrl' | 'firstKeys' | 'demo' | 'signInToken' | 'providers'> & {
  /** The setting `public_url`. */
  publicUrl?: string | undefined
  /** Describes the sandbox for commands of interns, or its absence. */
  sandbox: string
}

/** The text that is printed when the service is ready. Generated secrets are displayed only this once. */
export function welcomeText(service: WelcomeFacts): string {
  const { url, publicUrl, consoleUrl, firstKeys, demo, sandbox, signInToken, providers } = service
  const addresses = `
  Signalbox   ${url}
${consoleUrl === undefined ? '' : `  Console     ${consoleUrl}\n`}  Sandbox     ${sandbox}
${providers === undefined ? '' : `  Providers   ${credentialSummary(providers)}\n`}`
  if (!firstKeys) return `${addresses}\n`
  const { managementKey, apiKey } = { ...placeholders, ...firstKeys }
  return `${addresses}
  This is the first start. ${describeKeys(firstKeys)}:

    management key   ${displayedSecret(firstKeys.managementKey, placeholders.managementKey)}
    API key          ${displayedSecret(firstKeys.apiKey, placeholders.apiKey)}
${signInToken === undefined ? '' : signInLink(publicUrl ?? new URL(reachableUrl(url)).origin, signInToken)}
  Variables for the examples in README.md:

    export BASE_URL=${reachableUrl(url)} API_KEY=${apiKey} MANAGEMENT_KEY=${managementKey}

  Interns run commands without asking and without a sandbox, unless the approval mode is "manual".

${demo ? demoExample(reachableUrl(url), apiKey) : ''}  The newest models:

    curl "${reachableUrl(url)}/models?sort=newest&limit=3" -H "Authorization: Bearer ${apiKey}"

`
}

/** Longer lists are shortened. */
const maxListed = 8

/** Lists the providers that have a credential. If there is none, names the variable to set first. */
function credentialSummary(providers: readonly ProviderNeeds[]): string {
  const withModels = providers.filter(
    ({ credential_variables, models }) => credential_variables.length > 0 && models > 0,
  )
  const readyProviders = withModels.filter(({ missing }) => missing.length === 0).map(({ name }) => name)
  if (readyProviders.length > maxListed)
    return `${readyProviders.slice(0, maxListed).join(', ')} and ${readyProviders.length - maxListed} more`
  if (readyProviders.length > 0) return readyProviders.join(', ')
  const [first] = withModels
  const noCredentialText = 'none has a credential in the environment; only models that need none answer.'
  if (first === undefined) return noCredentialText
  return `${noCredentialText}
              Set one, such as ${first.missing.join(' and ')}, and start again. docs/providers.md lists them.`
}

const signInLink = (site: string, token: string) => `
  This link signs a browser in to the console, once, within 15 minutes:

    ${site}/#sign-in=${token}
`

function describeKeys(createdKeys: Partial<FirstKeys>): string {
  const count = Object.keys(createdKeys).length
  if (count === 0) return 'The service uses the two keys of its configuration'
  return count === 1
    ? 'One key was created. It is shown only once; store it now'
    : 'Two keys were created. They are shown only once; store them now'
}

const displayedSecret = (secret: string | undefined, variable: string) => secret ?? `the configured one (${variable})`

/** Two commands to paste, for any version of curl: the intern asks for permission, and the second command allows it. */
function demoExample(url: string, apiKey: string): string {
  const curlCommand = (message: object) => {
    const body = JSON.stringify({ stream: true, session_id: 'first', approval_mode: 'manual', messages: [message] })
    return `curl -N ${url}/interns/demo/chat/completions -H "Authorization: Bearer ${apiKey}" -H "Content-Type: application/json" -d '${body}'`
  }
  return `  Ask the intern named demo for something. With approval_mode manual it asks before it runs a command:

    ${curlCommand({ role: 'user', content: 'List the files and write a haiku about them into haiku.txt' })}

  Allow the command:

    ${curlCommand({ role: 'tool', tool_call_id: 'pending', content: 'allow_once' })}

  Or, with the variables above in the shell: npx signalbox chat demo

`
}
