import { useState } from 'react'
import type { ApiKey, ApiKeyWithSecret } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Field, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { KeySecretDialog } from './key-secret-dialog.tsx'
import { chooseKeyState } from './key-state.ts'
import { KEY_TERMS, toExpiresAt } from './key-terms.ts'

/** Shows the buttons for the actions on an API key. */
export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const [open, setOpen] = useState<'edit' | 'rotate' | 'revoke' | null>(null)
  const props = { apiKey, onClose: () => setOpen(null) }
  return (
    <>
      <Button onClick={() => setOpen('edit')}>Edit</Button>
      {chooseKeyState(apiKey) !== 'expired' && (
        <Button icon="refresh" onClick={() => setOpen('rotate')}>
          Rotate
        </Button>
      )}
      <Button look="danger" icon="ban" onClick={() => setOpen('revoke')}>
        Revoke
      </Button>
      {open === 'edit' && <EditKeyDialog {...props} />}
      {open === 'rotate' && <RotateKeyDialog {...props} />}
      {open === 'revoke' && <RevokeKeyDialog {...props} />}
    </>
  )
}

interface Props {
  apiKey: ApiKey
  onClose(): void
}

function EditKeyDialog({ apiKey, onClose }: Props) {
  const { day, dateOf } = useFormats()
  const change = plumbline.useMutation('patch', '/api/admin/keys/{keyId}', {
    onSuccess: ({ name }) => {
      showToast(`${name} updated`)
      onClose()
    },
  })
  const stored = apiKey.expiresAt === null ? 'Never (no change)' : `${day(dateOf(apiKey.expiresAt))} (no change)`
  return (
    <FormDialog
      title={`Edit ${apiKey.name}`}
      word="Save"
      {...{ change, of: apiKey, onClose }}
      onSubmit={(form, ifMatch) => {
        const term = String(form.get('expiresAt'))
        change.mutate({
          params: { path: { keyId: apiKey.id }, header: ifMatch },
          body: {
            name: readTextField(form, 'name') ?? '',
            allowedAddresses: readTextField(form, 'allowedAddresses')?.split(/[\s,]+/) ?? null,
            ...(term !== 'kept' && { expiresAt: toExpiresAt(term) }),
          },
        })
      }}
    >
      <div className="form-row">
        <TextField name="name" label="Name" defaultValue={apiKey.name} autoFocus />
        <SelectField
          name="expiresAt"
          label="Expires"
          options={[{ value: 'kept', label: stored }, ...KEY_TERMS.map(({ value, word }) => ({ value, label: word }))]}
        />
      </div>
      <TextField
        name="allowedAddresses"
        label="Allowed IP addresses"
        optional
        defaultValue={apiKey.allowedAddresses?.join(', ') ?? ''}
        hint="If empty, every IP address is allowed."
      />
    </FormDialog>
  )
}

function RotateKeyDialog({ apiKey, onClose }: Props) {
  const [rotated, setRotated] = useState<ApiKeyWithSecret | null>(null)
  const change = plumbline.useMutation('post', '/api/admin/keys/{keyId}/rotate', { gcTime: 0, onSuccess: setRotated })
  if (rotated !== null) return <KeySecretDialog apiKey={rotated} onClose={onClose} />
  return (
    <FormDialog
      title={`Rotate ${apiKey.name}`}
      size="narrow"
      word="Rotate secret"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { keyId: apiKey.id } },
          body: { overlapDays: Number(form.get('overlapDays')) },
        })
      }
    >
      <p className="muted">
        The key gets a new secret, which is shown once. Choose how long the old secret stays valid.
      </p>
      <SelectField
        name="overlapDays"
        label="Old secret expires"
        defaultValue="3"
        options={[
          { value: '0', label: 'Immediately' },
          { value: '1', label: 'After 1 day' },
          { value: '3', label: 'After 3 days' },
          { value: '7', label: 'After 7 days' },
        ]}
      />
    </FormDialog>
  )
}

function RevokeKeyDialog({ apiKey, onClose }: Props) {
  const [text, setText] = useState('')
  const change = plumbline.useMutation('post', '/api/admin/keys/{keyId}/revoke', {
    onSuccess: ({ name }) => {
      showToast(`${name} revoked`)
      onClose()
    },
  })
  const isConfirmed = text.trim() === apiKey.name
  return (
    <FormDialog
      title={`Revoke “${apiKey.name}”?`}
      size="narrow"
      word="Revoke key"
      isDanger
      isDisabled={!isConfirmed}
      {...{ change, onClose }}
      onSubmit={() => isConfirmed && change.mutate({ params: { path: { keyId: apiKey.id } } })}
    >
      <p className="muted">
        Programs that use this key lose access immediately, and its webhooks stop.{' '}
        {apiKey.lastUsedAt === null ? (
          'This key has never been used.'
        ) : (
          <>
            This key was last used <TimeText at={apiKey.lastUsedAt} />.
          </>
        )}{' '}
        This cannot be undone.
      </p>
      <Field name="confirm" label="Type the name to confirm">
        {(control) => (
          <input
            {...control}
            className="input"
            autoComplete="off"
            placeholder={apiKey.name}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
