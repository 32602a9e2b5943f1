import { useState } from 'react'
import type { HomeOwner } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/clipboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

const MAX_OWNERS = 50
const LANGUAGES = [
  { value: 'en', label: 'English' },
  { value: 'es', label: 'Spanish' },
]

/** Lists the home's owners, with buttons to add an owner and to manage the links to the owner's pages. */
export function HomeOwners({ homeId }: { homeId: string }) {
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  const [linked, setLinked] = useState<HomeOwner | null>(null)
  const owners = useListPage('/api/ext/home-owners', { homeId, limit: MAX_OWNERS, sort: 'createdAt' })
  const mayInvite = can('owners:write')
  const columns: readonly Column<HomeOwner>[] = [
    {
      head: 'Owner',
      cell: ({ name, email, phone }) => (
        <>
          <span className="lead">{name}</span>
          <span className="sub">{[email, phone].filter((part) => part !== null).join(', ')}</span>
        </>
      ),
    },
    {
      head: 'Link',
      cell: ({ invitedAt }) => (invitedAt === null ? <EmptyCell word="no link" /> : <TimeText at={invitedAt} />),
    },
    {
      head: 'Last visit',
      cell: ({ lastVisitAt }) => (lastVisitAt === null ? <EmptyCell word="never" /> : <TimeText at={lastVisitAt} />),
      isWideOnly: true,
    },
    ...(mayInvite
      ? [
          {
            head: 'Page',
            cell: (owner: HomeOwner) => (
              <Button small aria-label={`Manage link of ${owner.name}`} onClick={() => setLinked(owner)}>
                Manage link
              </Button>
            ),
          },
        ]
      : []),
  ]
  const rows = owners.data?.data
  return (
    <Panel
      title="Owners"
      isFlush={rows?.length !== 0}
      actions={
        mayInvite && (
          <Button small icon="plus" onClick={() => setIsNew(true)}>
            Add owner
          </Button>
        )
      }
    >
      {owners.error !== null ? (
        <LoadError what="The owners" error={owners.error} onRetry={() => void owners.refetch()} />
      ) : rows?.length === 0 ? (
        <p className="muted">No owners yet. The buyers become owners when their sale is approved.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Owners" columns={columns} rows={rows} keyOf={({ id }) => id} expected={2} />
        </div>
      )}
      {isNew && <OwnerForm homeId={homeId} onClose={() => setIsNew(false)} />}
      {linked !== null && <OwnerLink owner={linked} onClose={() => setLinked(null)} />}
    </Panel>
  )
}

function OwnerForm({ homeId, onClose }: { homeId: string; onClose(): void }) {
  const change = plumbline.useMutation('post', '/api/ext/home-owners', {
    onSuccess: ({ name }) => {
      showToast(`${name} added`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add owner"
      size="narrow"
      word="Add owner"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const [email, phone] = [readTextField(form, 'email'), readTextField(form, 'phone')]
        const language = readTextField(form, 'language') === 'es' ? 'es' : 'en'
        change.mutate({
          body: {
            ...{ homeId, name: readTextField(form, 'name') ?? '', language },
            ...(email !== undefined && { email }),
            ...(phone !== undefined && { phone }),
          },
        })
      }}
    >
      <TextField name="name" label="Name" autoFocus />
      <TextField
        name="email"
        label="Email"
        type="email"
        optional
        hint="The link to the owner's page is sent to this email address."
      />
      <TextField name="phone" label="Phone" type="tel" optional />
      <SelectField name="language" label="Language of the owner's page" defaultValue="en" options={LANGUAGES} />
    </FormDialog>
  )
}

/** Lets the user email, copy, or revoke an owner's link. A new link replaces the previous one. */
function OwnerLink({ owner, onClose }: { owner: HomeOwner; onClose(): void }) {
  const can = useCan()
  const { id: homeOwnerId, name, email, invitedAt } = owner
  const path = { params: { path: { homeOwnerId } } }
  const done = (word: string) => () => {
    showToast(word)
    onClose()
  }
  const invite = plumbline.useMutation('post', '/api/ext/home-owners/{homeOwnerId}/invitation', {
    onSuccess: done(`Link emailed to ${name}`),
  })
  const revoke = plumbline.useMutation('post', '/api/ext/home-owners/{homeOwnerId}/revocation', {
    onSuccess: done(`Link of ${name} revoked`),
  })
  const copy = plumbline.useMutation('post', '/api/ext/home-owners/{homeOwnerId}/link', { gcTime: 0 })
  const url = copy.data?.ownerUrl ?? null
  const isBusy = invite.isPending || revoke.isPending || copy.isPending
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Link for ${name}`}
      tail={
        <>
          {invitedAt !== null && url === null && (
            <Button look="danger" busy={isBusy} onClick={() => revoke.mutate(path)}>
              Revoke link
            </Button>
          )}
          <span className="push" />
          <Button onClick={onClose}>{url === null ? 'Cancel' : 'Done'}</Button>
          {url === null && can('portal_links:read') && (
            <Button busy={isBusy} onClick={() => copy.mutate(path)}>
              Show link
            </Button>
          )}
          {url === null && email !== null && (
            <Button look="primary" busy={isBusy} onClick={() => invite.mutate(path)}>
              Mail link
            </Button>
          )}
        </>
      }
    >
      <ChangeError error={invite.error ?? revoke.error ?? copy.error} />
      {url === null ? (
        <p className="muted">
          With the link, the owner decides on selections, signs changes and walkthroughs, reports problems and writes
          messages. Anyone who has the link can act as {name}.{' '}
          {invitedAt !== null && 'If you continue, a new link will replace the current one.'}
        </p>
      ) : (
        <div className="secret">
          <h3>This link is shown only once</h3>
          <div className="value">
            <code>{url}</code>
            <Button small look="primary" icon="copy" onClick={() => void copyText(url, 'The link')}>
              Copy link
            </Button>
          </div>
          <p className="small muted">Pass it to {name} only. The link expires 400 days after its last use.</p>
        </div>
      )}
    </Dialog>
  )
}
