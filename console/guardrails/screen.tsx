import '../components/lazy-chunk.ts'
import { useRoute } from 'preact-iso/router'
import { Failure } from '../api/failure.ts'
import { sessionState } from '../api/session.ts'
import { FailureState, Loading } from '../components/page/page-states.tsx'
import { GuardrailList } from './guardrail-list.tsx'
import { GuardrailPage } from './guardrail-page.tsx'

const forbidden = new Failure(403, 'Developers cannot see guardrails.')

/** `/guardrails` is the list, `/guardrails/<id>` a guardrail. */
export function Screen() {
  const id = useRoute().params.rest
  const state = sessionState.value
  if (state.state !== 'signed-in') return <Loading />
  if (state.session.role === 'developer') return <FailureState failure={forbidden} />
  const canChange = state.session.role !== 'viewer'
  return id ? (
    <GuardrailPage key={id} guardrailId={id} canChange={canChange} />
  ) : (
    <GuardrailList canChange={canChange} />
  )
}
