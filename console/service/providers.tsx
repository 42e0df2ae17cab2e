import { useGet } from '../api/resource.ts'
import type { ProviderNeeds } from '../api/types.ts'
import { Copy, CopyableText } from '../components/page/copy-button.tsx'
import { EmptyState, FailureState, Loading } from '../components/page/page-states.tsx'
import { countText } from '../format/count.ts'
import { environmentLines } from './settings-text.ts'

/** The configured providers, and what the others need. */
export function Providers() {
  const { data, failure, reload } = useGet('GET /catalogue', {})
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  const providers = data.data.providers.filter(({ models }) => models > 0)
  const lacksCredential = ({ missing }: ProviderNeeds) => missing.length > 0
  const unconfiguredProviders = providers.filter(lacksCredential)
  const readyProviders = providers.filter((one) => !lacksCredential(one))
  const withCredential = readyProviders.filter(({ credential_variables }) => credential_variables.length > 0)
  return (
    <>
      {withCredential.length === 0 && unconfiguredProviders.length > 0 && (
        <FirstRun first={unconfiguredProviders[0]!} />
      )}
      {providers.length === 0 && (
        <EmptyState title="The catalogue has no models" command="npx signalbox catalogue sync">
          <p>To fetch a catalogue, which the service loads at its next start or on Reload:</p>
        </EmptyState>
      )}
      {providers.length > 0 && (
        <table class="plain-table" aria-label="Providers">
          <thead>
            <tr>
              <th scope="col">provider</th>
              <th scope="col" class="number">
                models
              </th>
              <th scope="col">credential</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {[...readyProviders, ...unconfiguredProviders].map((one) => (
              <ProviderRow key={one.slug} provider={one} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

/** Instructions for the first provider. */
function FirstRun({ first }: { first: ProviderNeeds }) {
  return (
    <section class="service-first" aria-label="First run">
      <h2>No provider has a credential yet</h2>
      <p>
        Only the demo model can answer. Set the variable of a provider in the environment of the service, then restart
        it:
      </p>
      <CopyableText text={environmentLines(first)} />
      <p class="dim">
        Without a restart: add <a href="/keys/providers">provider keys</a> to a workspace. They are stored encrypted.
      </p>
    </section>
  )
}

function ProviderRow({ provider }: { provider: ProviderNeeds }) {
  const { name, slug, models, credential_variables, missing } = provider
  const isReady = missing.length === 0
  return (
    <tr>
      <th scope="row">
        {name} <span class="dim">{slug}</span>
      </th>
      <td data-head="models" class="number">
        <a
          href={`/models?providers=${encodeURIComponent(slug)}`}
          aria-label={`${countText(models, 'model')} of ${name}`}
        >
          {models}
        </a>
      </td>
      <td data-head="credential">
        <span class={`dot ${isReady ? 'ok' : 'warn'}`} />
        {isReady ? (
          credential_variables.length > 0 ? (
            'set'
          ) : (
            <span class="dim">not needed</span>
          )
        ) : (
          <>
            missing: <code>{missing.join(', ')}</code>
          </>
        )}
      </td>
      <td class="number">{!isReady && <Copy text={environmentLines(provider)}>Copy commands</Copy>}</td>
    </tr>
  )
}
