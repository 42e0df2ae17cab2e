import type { ComponentType } from 'preact'

export type Screen = {
  /** The first part of its path, and its folder here. */
  name: string
  title: string
  /** What the command palette also finds it by. */
  words?: string
  /** What it asks the API first where its address has no filters: then the page has that under way before it runs. */
  early?: string
  load: () => Promise<{ Screen: ComponentType }>
}

/** All screens, in the order of the navigation. A screen is one folder with a `screen.tsx`, and a line here. */
export const screens: Screen[] = [
  {
    name: 'requests',
    title: 'Requests',
    words: 'log generations errors cost',
    early: '/api/v1/generations?limit=100',
    load: () => import('./requests/screen.tsx'),
  },
  {
    name: 'overview',
    title: 'Overview',
    words: 'spend cost errors latency budgets analytics health',
    load: () => import('./overview/screen.tsx'),
  },
  {
    name: 'models',
    title: 'Models',
    words: 'catalogue prices endpoints providers compare',
    load: () => import('./models/screen.tsx'),
  },
  {
    name: 'chat',
    title: 'Chat',
    words: 'compare ask try playground',
    load: () => import('./chat/screen.tsx'),
  },
  {
    name: 'interns',
    title: 'Interns',
    words: 'agents questions inbox permissions sessions',
    load: () => import('./interns/screen.tsx'),
  },
  {
    name: 'guardrails',
    title: 'Guardrails',
    words: 'policy limits budgets filters replay',
    load: async () => ({ Screen: (await import('./seldom.ts')).guardrails }),
  },
  {
    name: 'keys',
    title: 'Keys & people',
    words: 'members roles access sessions audit byok provider secrets limits',
    load: async () => ({ Screen: (await import('./seldom.ts')).keys }),
  },
  {
    name: 'presets',
    title: 'Presets',
    words: 'versions prompts configuration',
    load: async () => ({ Screen: (await import('./seldom.ts')).presets }),
  },
  {
    name: 'service',
    title: 'Service',
    words: 'first run set up providers credentials catalogue sources reload settings configuration',
    load: async () => ({ Screen: (await import('./seldom.ts')).service }),
  },
]
