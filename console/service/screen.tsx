import '../components/page/lazy-chunk.ts'
import { ScreenTabs } from '../components/page/screen-tabs.tsx'
import { Catalogue } from './catalogue.tsx'
import { Providers } from './providers.tsx'
import { Settings } from './settings.tsx'

const parts = [
  { name: '', title: 'Providers', Part: Providers },
  { name: 'catalogue', title: 'Catalogue', Part: Catalogue },
  { name: 'settings', title: 'Settings', Part: Settings },
]

/** Providers, catalogue and settings of the service. */
export const Screen = () => <ScreenTabs screen="service" title="Service" parts={parts} />
