import '../components/lazy-chunk.ts'
import { useRoute } from 'preact-iso/router'
import { ModelList } from './model-list.tsx'
import { ModelPage } from './model-page.tsx'

/** The catalogue: `/models` is the list, `/models/<author>/<slug>` a model. */
export function Screen() {
  const id = useRoute().params.rest
  return id ? <ModelPage key={id} modelId={id} /> : <ModelList />
}
