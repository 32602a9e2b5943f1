import { useState } from 'react'
import type { Passkey } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { ChangeError, EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { describeDevice } from '../sign-in/device-name.ts'
import { createPasskey, explainPasskeyError, hasPasskeys } from '../sign-in/passkey.ts'

/** Shows the user's own passkeys, with which the user signs in without an emailed link. */
export function Component() {
  const [open, setOpen] = useState<{ what: 'add' } | { what: 'rename' | 'remove'; passkey: Passkey } | null>(null)
  const onClose = () => setOpen(null)
  const add = (
    <Button look="primary" icon="plus" disabled={!hasPasskeys} onClick={() => setOpen({ what: 'add' })}>
      Add passkey
    </Button>
  )
  const columns: readonly Column<Passkey>[] = [
    {
      head: 'Passkey',
      className: 'long',
      cell: ({ name, isSynced }) => (
        <>
          <span className="lead clip" title={name}>
            {name}
          </span>
          <span className="sub">{isSynced ? 'synced between devices' : 'on one device'}</span>
        </>
      ),
      csv: ({ name }) => name,
    },
    {
      head: 'Last used',
      className: 'nowrap',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? <EmptyCell word="never" /> : <TimeText at={lastUsedAt} />),
      csv: ({ lastUsedAt }) => lastUsedAt,
    },
    { head: 'Added', cell: ({ createdAt }) => <TimeText at={createdAt} />, csv: ({ createdAt }) => createdAt },
    {
      head: 'Actions',
      className: 'num',
      cell: (passkey) => (
        <div className="row push">
          <Button small onClick={() => setOpen({ what: 'rename', passkey })}>
            Rename<span className="sr"> {passkey.name}</span>
          </Button>
          <Button small onClick={() => setOpen({ what: 'remove', passkey })}>
            Remove<span className="sr"> {passkey.name}</span>
          </Button>
        </div>
      ),
    },
  ]
  return (
    <Page title="Your passkeys" crumbs={[{ name: 'Settings' }, { name: 'Your passkeys' }]} actions={add}>
      <div className="page-head">
        <h1>Your passkeys</h1>
        <p>
          Sign in with your fingerprint, face, or PIN instead of an email. Your passkeys work in all your organizations.
        </p>
      </div>
      <Listing
        path="/api/admin/passkeys"
        nouns={['passkey', 'passkeys']}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="passkey" title="No passkeys yet" actions={add}>
            {hasPasskeys
              ? 'Add a passkey with this device, a phone, or a security key.'
              : 'This browser does not support passkeys. Use another browser to add a passkey.'}
          </EmptyState>
        }
      />
      {open?.what === 'add' && <AddPasskeyDialog onClose={onClose} />}
      {open?.what === 'rename' && <RenamePasskeyDialog passkey={open.passkey} onClose={onClose} />}
      {open?.what === 'remove' && <RemovePasskeyDialog passkey={open.passkey} onClose={onClose} />}
    </Page>
  )
}

function AddPasskeyDialog({ onClose }: { onClose(): void }) {
  const [refusal, setRefusal] = useState<string | null>(null)
  const prepare = plumbline.useMutation('post', '/api/admin/passkeys/prepare', { meta: { changesNothing: true } })
  const add = plumbline.useMutation('post', '/api/admin/passkeys', {
    onSuccess: ({ name }) => {
      showToast(`${name} added`)
      onClose()
    },
  })
  const begin = async (name: string) => {
    setRefusal(null)
    try {
      const created = await createPasskey(await prepare.mutateAsync({}))
      await add.mutateAsync({ body: { ...created, name } })
    } catch (error) {
      // The mutation contains the errors from the service.
      setRefusal(explainPasskeyError(error))
    }
  }
  return (
    <FormDialog
      title="Add passkey"
      note="Your device will ask for your fingerprint, face, or PIN."
      size="narrow"
      word="Add passkey"
      change={{ error: prepare.error ?? add.error, isPending: prepare.isPending || add.isPending }}
      onClose={onClose}
      onSubmit={(form) => {
        add.reset()
        void begin(readTextField(form, 'name') ?? describeDevice(navigator.userAgent))
      }}
    >
      {refusal !== null && (
        <p className="banner" data-tone="warn" role="alert">
          <Icon name="info" />
          {refusal}
        </p>
      )}
      <TextField
        name="name"
        label="Name"
        hint="A name to recognize this passkey later."
        defaultValue={describeDevice(navigator.userAgent)}
        autoFocus
      />
    </FormDialog>
  )
}

interface Props {
  passkey: Passkey
  onClose(): void
}

function RenamePasskeyDialog({ passkey, onClose }: Props) {
  const change = plumbline.useMutation('post', '/api/admin/passkeys/{passkeyId}/rename', {
    onSuccess: ({ name }) => {
      showToast(`${name} renamed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Rename passkey"
      size="narrow"
      word="Save"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { passkeyId: passkey.id } },
          body: { name: readTextField(form, 'name') ?? '' },
        })
      }
    >
      <TextField name="name" label="Name" defaultValue={passkey.name} autoFocus />
    </FormDialog>
  )
}

function RemovePasskeyDialog({ passkey, onClose }: Props) {
  const remove = plumbline.useMutation('delete', '/api/admin/passkeys/{passkeyId}', {
    onSuccess: () => {
      showToast(`${passkey.name} removed`)
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      size="narrow"
      title={`Remove “${passkey.name}”?`}
      tail={
        <>
          <span className="push" />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger solid"
            busy={remove.isPending}
            onClick={() => remove.mutate({ params: { path: { passkeyId: passkey.id } } })}
          >
            Remove
          </Button>
        </>
      }
    >
      <p>You will no longer be able to sign in with this passkey. Existing sessions stay active until you end them.</p>
      <ChangeError error={remove.error} />
    </Dialog>
  )
}
