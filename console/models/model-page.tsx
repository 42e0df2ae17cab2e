import { useLocation } from 'preact-iso/router'
import { queryOf } from '../api/address/address.ts'
import { useGet } from '../api/resource.ts'
import { canUseModelsAndInterns } from '../api/session.ts'
import type { Model } from '../api/types.ts'
import { Copy } from '../components/page/copy-button.tsx'
import { Heading } from '../components/page/heading.tsx'
import { FailureState, Loading } from '../components/page/page-states.tsx'
import { type Fact, Facts } from '../components/text/facts.tsx'
import { useShortcuts } from '../components/window/keyboard.ts'
import { exactCount } from '../format/count.ts'
import { dayOf, intelligenceOf } from './columns.tsx'
import { History } from './endpoint-history.tsx'
import { Endpoints } from './endpoints.tsx'
import { ModelGuardrails } from './model-guardrails.tsx'

/** A model with its endpoints, guardrails and history. Escape returns to the list. */
export function ModelPage({ modelId }: { modelId: string }) {
  const { route, query } = useLocation()
  const [author = '', slug = ''] = modelId.split('/')
  const model = useGet('GET /model/{author}/{slug}', { params: { author, slug } })
  const endpoints = useGet('GET /models/{author}/{slug}/endpoints', { params: { author, slug } })
  const back = `/models${queryOf(query)}`
  useShortcuts([{ key: 'Escape', description: 'back to the list', onPress: () => route(back) }])
  const failure = model.failure ?? endpoints.failure
  const loadedModel = model.data?.data
  return (
    <div class="page model">
      <p>
        <a href={back}>← Models</a>
      </p>
      {failure && <FailureState failure={failure} onRetry={() => (model.failure ? model : endpoints).reload()} />}
      {!failure && !loadedModel && <Loading />}
      {loadedModel && (
        <>
          <Head model={loadedModel} />
          <ModelFacts model={loadedModel} />
          {loadedModel.description && (
            <>
              <h2>Description</h2>
              <p class="description">{loadedModel.description}</p>
            </>
          )}
          {endpoints.data && (
            <>
              <h2>Endpoints</h2>
              <Endpoints endpoints={endpoints.data.data.endpoints} />
            </>
          )}
          <ModelGuardrails author={author} slug={slug} />
          <History modelId={loadedModel.id} />
        </>
      )}
    </div>
  )
}

function Head({ model }: { model: Model }) {
  return (
    <header>
      <Heading>{model.name}</Heading>
      <code>{model.id}</code>
      <Copy text={model.id} message="ID copied">
        Copy ID
      </Copy>
      {model.architecture.output_modalities.includes('text') && canUseModelsAndInterns() && (
        <a class="button try" href={`/chat?model=${encodeURIComponent(model.id)}`}>
          Open in chat
        </a>
      )}
      <a class="button" href={`/requests?model=${encodeURIComponent(model.id)}`}>
        Requests
      </a>
    </header>
  )
}

/** Whether the guardrails of this session allow the model. */
function useAllowed(id: string): boolean | undefined {
  const { data } = useGet('GET /models/user', { query: { q: id, output_modalities: 'all' } })
  return data?.data.some((model) => model.id === id)
}

function ModelFacts({ model }: { model: Model }) {
  const isAllowed = useAllowed(model.id)
  const { architecture, top_provider, supported_parameters } = model
  const scores = model.benchmarks?.artificial_analysis
  const facts: Fact[] = [
    [
      'allowed',
      model.callable === false ? (
        'not supported: no operation returns its output'
      ) : isAllowed === undefined ? (
        '…'
      ) : (
        <>
          <span class={isAllowed ? 'dot ok' : 'dot bad'} />
          {isAllowed ? 'yes' : 'no, blocked by a guardrail'}
        </>
      ),
    ],
    ['context', `${exactCount(model.context_length)} tokens`],
    ['max output', top_provider.max_completion_tokens && `${exactCount(top_provider.max_completion_tokens)} tokens`],
    ['input', architecture.input_modalities.join(', ')],
    ['output', architecture.output_modalities.join(', ')],
    ['released', dayOf(model)],
    ['knowledge cutoff', model.knowledge_cutoff],
    ['expires', model.expiration_date],
    [
      'scores',
      scores &&
        [
          intelligenceOf(model) !== undefined && `intelligence ${intelligenceOf(model)}`,
          scores.coding_index !== null && `coding ${scores.coding_index}`,
          scores.agentic_index !== null && `agentic ${scores.agentic_index}`,
        ]
          .filter(Boolean)
          .join(', '),
    ],
    ['parameters', supported_parameters.join(', ')],
  ]
  return <Facts class="model-facts" facts={facts} />
}
