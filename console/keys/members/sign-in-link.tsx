import { call } from '../../api/client.ts'
import { runOrToast } from '../../components/form/use-action.ts'

/** A sign-in link, with the title of the secret. */
export type Link = [title: string, url: string]

type LinkMember = { id: string; name: string }

/** Creates a link that signs a member in once. */
export async function createLink({ id, name }: LinkMember): Promise<Link> {
  const { data } = await call('POST /sessions/links', { body: { user_id: id } })
  return [`Sign-in link for ${name}, valid once for 15 minutes`, data.url]
}

export const SignInLinkButton = ({ member, onLink }: { member: LinkMember; onLink: (...link: Link) => void }) => (
  <button
    type="button"
    aria-label={`Sign-in link for ${member.name}`}
    onClick={() => void runOrToast(async () => onLink(...(await createLink(member))))}
  >
    Sign-in link
  </button>
)
