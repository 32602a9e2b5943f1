import { useState } from 'react'
import type { Passkey } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField, typed } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Refused } from '../../ui/states.tsx'
import { type Column, None } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { deviceName } from '../sign-in/device.ts'
import { hasPasskeys, makePasskey, whyNot } from '../sign-in/passkey.ts'

/** Shows the user's own passkeys, which sign in without a link. */
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
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? <None word="never" /> : <Time at={lastUsedAt} />),
      csv: ({ lastUsedAt }) => lastUsedAt,
    },
    { head: 'Added', cell: ({ createdAt }) => <Time at={createdAt} />, csv: ({ createdAt }) => createdAt },
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
          Sign in with your fingerprint, face or PIN instead of an email. Your passkeys work in all your organizations.
        </p>
      </div>
      <Listing
        path="/api/admin/passkeys"
        nouns={['passkey', 'passkeys']}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="passkey" title="No passkeys yet" actions={add}>
            {hasPasskeys
              ? 'Add a passkey with this device, a phone or a security key.'
              : 'This browser does not support passkeys. Use another browser to add one.'}
          </Empty>
        }
      />
      {open?.what === 'add' && <Add onClose={onClose} />}
      {open?.what === 'rename' && <Rename passkey={open.passkey} onClose={onClose} />}
      {open?.what === 'remove' && <Remove passkey={open.passkey} onClose={onClose} />}
    </Page>
  )
}

function Add({ onClose }: { onClose(): void }) {
  const [refusal, setRefusal] = useState<string | null>(null)
  const prepare = plumbline.useMutation('post', '/api/admin/passkeys/prepare', { meta: { changesNothing: true } })
  const add = plumbline.useMutation('post', '/api/admin/passkeys', {
    onSuccess: ({ name }) => {
      say(`${name} added`)
      onClose()
    },
  })
  const begin = async (name: string) => {
    setRefusal(null)
    try {
      const made = await makePasskey(await prepare.mutateAsync({}))
      await add.mutateAsync({ body: { ...made, name } })
    } catch (error) {
      // Errors of the service are in the mutation.
      setRefusal(whyNot(error))
    }
  }
  return (
    <FormDialog
      title="Add passkey"
      note="Your device asks for your fingerprint, face or PIN."
      size="narrow"
      word="Add passkey"
      change={{ error: prepare.error ?? add.error, isPending: prepare.isPending || add.isPending }}
      onClose={onClose}
      onSubmit={(form) => {
        add.reset()
        void begin(typed(form, 'name') ?? deviceName(navigator.userAgent))
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
        defaultValue={deviceName(navigator.userAgent)}
        autoFocus
      />
    </FormDialog>
  )
}

interface Props {
  passkey: Passkey
  onClose(): void
}

function Rename({ passkey, onClose }: Props) {
  const change = plumbline.useMutation('post', '/api/admin/passkeys/{passkeyId}/rename', {
    onSuccess: ({ name }) => {
      say(`${name} renamed`)
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
        change.mutate({ params: { path: { passkeyId: passkey.id } }, body: { name: typed(form, 'name') ?? '' } })
      }
    >
      <TextField name="name" label="Name" defaultValue={passkey.name} autoFocus />
    </FormDialog>
  )
}

function Remove({ passkey, onClose }: Props) {
  const remove = plumbline.useMutation('delete', '/api/admin/passkeys/{passkeyId}', {
    onSuccess: () => {
      say(`${passkey.name} removed`)
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
      <p>You can no longer sign in with this passkey. Existing sessions stay active until you end them.</p>
      <Refused error={remove.error} />
    </Dialog>
  )
}
