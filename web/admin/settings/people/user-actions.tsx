import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import type { User } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useSession } from '../../../api/session.ts'
import { IconButton } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { UserForm } from './user-form.tsx'

/** Shows the buttons for the actions on a user. */
export function UserActions({ user }: { user: User }) {
  const [open, setOpen] = useState<'edit' | 'invite' | 'switch' | null>(null)
  const props = { user, onClose: () => setOpen(null) }
  const { user: self, sendsMail } = useSession()
  const isSelf = self.id === user.id
  return (
    <>
      <Menu.Root>
        <Menu.Trigger render={<IconButton icon="dots" label={`Actions for ${user.name}`} look="quiet" small />} />
        <Menu.Portal>
          <Menu.Positioner className="over" sideOffset={4} align="end">
            <Menu.Popup className="menu">
              <Menu.Item onClick={() => setOpen('edit')}>Edit…</Menu.Item>
              {user.status === 'invited' && sendsMail && (
                <Menu.Item onClick={() => setOpen('invite')}>Resend link…</Menu.Item>
              )}
              {!isSelf && (
                <Menu.Item
                  className={user.status === 'disabled' ? undefined : 'danger'}
                  onClick={() => setOpen('switch')}
                >
                  {user.status === 'disabled' ? 'Reactivate…' : 'Deactivate…'}
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {open === 'edit' && <UserForm {...props} />}
      {open === 'invite' && <ResendInvitationDialog {...props} />}
      {open === 'switch' && <SwitchUserDialog {...props} />}
    </>
  )
}

interface Props {
  user: User
  onClose(): void
}

function ResendInvitationDialog({ user, onClose }: Props) {
  const change = plumbline.useMutation('post', '/api/admin/users/{userId}/invite', {
    onSuccess: ({ delivery }) => {
      showToast(
        delivery === 'mail'
          ? `New link sent to ${user.name}`
          : 'This server sends no email. Ask its operator for a sign-in link.',
      )
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Send ${user.name} another sign-in link?`}
      size="narrow"
      word="Send link"
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { userId: user.id } } })}
    >
      <p className="muted">The link is sent to {user.email} and expires in 7 days.</p>
    </FormDialog>
  )
}

function SwitchUserDialog({ user, onClose }: Props) {
  const isOut = user.status === 'disabled'
  const change = plumbline.useMutation('post', '/api/admin/users/{userId}/status', {
    onSuccess: ({ name }) => {
      showToast(isOut ? `${name} reactivated` : `${name} deactivated`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={isOut ? `Reactivate ${user.name}?` : `Deactivate ${user.name}?`}
      size="narrow"
      word={isOut ? 'Reactivate user' : 'Deactivate'}
      isDanger={!isOut}
      {...{ change, onClose }}
      onSubmit={() =>
        change.mutate({ params: { path: { userId: user.id } }, body: { status: isOut ? 'active' : 'disabled' } })
      }
    >
      <p className="muted">
        {isOut
          ? 'They will be able to sign in again, and their API keys will work again.'
          : 'They will be signed out immediately, and their API keys will stop working. You can reactivate them later.'}
      </p>
    </FormDialog>
  )
}
