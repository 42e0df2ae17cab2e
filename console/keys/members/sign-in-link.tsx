import { call } from '../../api/client.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { Secret } from '../../components/text/secret.tsx'

/** A sign-in link and the name of its member. */
export type Link = { name: string; url: string }

type LinkMember = { id: string; name: string }

/** Creates a link that signs a member in once. */
export async function createLink({ id, name }: LinkMember): Promise<Link> {
  const { data } = await call('POST /sessions/links', { body: { user_id: id } })
  return { name, url: data.url }
}

export const SignInLinkButton = ({ member, onLink }: { member: LinkMember; onLink: (link: Link) => void }) => (
  <button
    type="button"
    aria-label={`Sign-in link for ${member.name}`}
    onClick={() => void runOrToast(async () => onLink(await createLink(member)))}
  >
    Sign-in link
  </button>
)

/** Shows a new link once. */
export const ShownLink = ({ link, onDone }: { link: Link | undefined; onDone: () => void }) =>
  link ? (
    <Secret title={`Sign-in link for ${link.name}, valid once for 15 minutes`} text={link.url} onDone={onDone} />
  ) : null
