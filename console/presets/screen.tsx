import '../components/lazy-chunk.ts'
import { useRoute } from 'preact-iso/router'
import { PresetList } from './preset-list.tsx'
import { PresetPage } from './preset-page.tsx'

/** `/presets` is the list, `/presets/<slug>` a preset. */
export function Screen() {
  const slug = useRoute().params.rest
  return slug ? <PresetPage key={slug} slug={slug} /> : <PresetList />
}
