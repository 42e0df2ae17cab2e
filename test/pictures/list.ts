import type { Page } from 'playwright-core'
import type { PictureWorld } from './world.ts'

/** The address of a screen, its widths, and the text by which a complete page is recognized. */
export type Picture = {
  screen: string
  wide: string
  narrow?: string
  shows: string
  does?: (page: Page) => Promise<void>
}

export const picturesOf = ({ ids, intern, guardrailId }: PictureWorld): Picture[] => [
  { screen: 'overview', wide: '/overview', shows: 'Spend, by model' },
  { screen: 'models', wide: '/models?view=plots', shows: 'claude-sonnet-5' },
  {
    screen: 'chat',
    wide: '/chat?model=anthropic/claude-sonnet-5,openai/gpt-5.4-mini',
    shows: 'Shall I write to the supplier?',
    does: async (page) => {
      await page.getByLabel('Message').fill('Which of these invoices has the wrong VAT id?')
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'View request' }).nth(1).waitFor()
    },
  },
  { screen: 'requests', wide: `/requests/${ids[1]}`, narrow: '/requests', shows: 'anthropic/claude-sonnet-5' },
  {
    screen: 'guardrails',
    wide: `/guardrails/${guardrailId}`,
    narrow: '/guardrails',
    shows: 'Only what the contract names',
  },
  { screen: 'interns', wide: '/interns', narrow: `/interns/${intern}`, shows: 'requests permission' },
  { screen: 'rules', wide: `/interns/${intern}?part=rules`, shows: 'Would have allowed' },
  { screen: 'tools', wide: `/interns/${intern}?part=tools`, shows: 'npx -y search-server' },
  { screen: 'service', wide: '/service', shows: 'missing:' },
  { screen: 'keys', wide: '/keys', shows: 'ci-bot' },
  { screen: 'workspaces', wide: '/keys/workspaces', shows: 'stored for 10 % of requests' },
  { screen: 'presets', wide: '/presets/haiku?version=2&against=1', shows: 'in use' },
  { screen: 'preset-editor', wide: '/presets/haiku?edit=2', shows: 'Save version' },
]
