import { Menu } from '@base-ui/react/menu'
import { useNavigate } from 'react-router'
import { plumbline, root } from '../api/plumbline.ts'
import { useSession } from '../api/session.ts'
import { deleteAllDrafts } from '../ui/form-drafts.ts'
import { humanizeName } from '../ui/humanize-name.ts'
import { Icon } from '../ui/icon.tsx'
import { toInitials } from '../ui/text-formats.ts'
import { showToast } from '../ui/toast.tsx'

/**
 * Shows the signed-in user and the organization, with links to sign out and to switch to the user's other
 * organizations.
 */
export function Account() {
  const { user, organization, organizations } = useSession()
  const navigate = useNavigate()
  // Reloads the pages, because everything on them belongs to the previous organization.
  const begin = () => location.assign(`${root}/`)
  const change = plumbline.useMutation('post', '/api/admin/session/organization', {
    onSuccess: begin,
    onError: ({ detail }) => showToast(`Could not switch organizations: ${detail ?? 'the server did not respond'}`),
  })
  const leave = () => {
    // Deletes the drafts, because another person may use this browser next.
    deleteAllDrafts()
    location.assign(`${root}/sign-in`)
  }
  const signOut = plumbline.useMutation('delete', '/api/admin/session', {
    meta: { changesNothing: true },
    onSuccess: leave,
    onError: ({ status, detail }) => {
      // The session had already ended.
      if (status === 401) leave()
      else showToast(`Could not sign out: ${detail ?? 'the server did not respond'}`)
    },
  })
  const others = organizations.filter(({ id }) => id !== organization.id)
  return (
    <Menu.Root>
      <Menu.Trigger className="who">
        <span className="avatar" aria-hidden="true">
          {toInitials(user.name)}
        </span>
        <span className="name">
          <span className="clip">{user.name}</span>
          <span className="clip small faint">{organization.name}</span>
        </span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="over" side="top" align="start" sideOffset={4}>
          <Menu.Popup className="menu">
            {others.map(({ id, name, role }) => (
              <Menu.Item key={id} onClick={() => change.mutate({ body: { organizationId: id } })}>
                <Icon name="swap" />
                <span className="clip">{name}</span>
                <span className="push small faint">{humanizeName(role)}</span>
              </Menu.Item>
            ))}
            {others.length > 0 && <Menu.Separator className="separator" />}
            <Menu.Item onClick={() => location.assign(`${root}/field/`)}>
              <Icon name="homes" />
              Page for work on the construction site
            </Menu.Item>
            <Menu.Item onClick={() => void navigate('/settings/passkeys')}>
              <Icon name="passkey" />
              Your passkeys
            </Menu.Item>
            <Menu.Item onClick={() => void navigate('/settings/sessions')}>
              <Icon name="lock" />
              Your sessions
            </Menu.Item>
            <Menu.Item onClick={() => signOut.mutate({})}>
              <Icon name="external" />
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
