import { useId, useMemo, useState } from 'react'
import type { ApiKeyWithSecret, Permission } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldErrorAt, Form, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { discardDraft } from '../../ui/use-form-draft.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { KeySecretDialog } from './key-secret-dialog.tsx'
import { KEY_TERMS, toExpiresAt } from './key-terms.ts'
import { PermissionMatrix } from './permission-matrix.tsx'
import { findPermissionPreset, PRESETS } from './permissions.ts'

/** Lets the user create an API key with a name, permissions, and an expiration. Then shows the secret once. */
export function NewKey({ onClose }: { onClose(): void }) {
  const form = useId()
  const { permissions: held } = useSession()
  const { day, dateOf } = useFormats()
  const grantable = new Set<string>(held)
  const [granted, setGranted] = useState<ReadonlySet<Permission>>(new Set())
  const [created, setCreated] = useState<ApiKeyWithSecret | null>(null)
  const entries = useMemo(
    () => ({
      ...{ current: [...granted], isChanged: granted.size > 0 },
      // The role of the user may have changed since the entries were stored.
      restore: (stored: readonly Permission[]) =>
        setGranted(new Set(stored.filter((permission) => held.includes(permission)))),
    }),
    [granted, held],
  )
  const create = plumbline.useMutation('post', '/api/admin/keys', { gcTime: 0, onSuccess: setCreated })
  if (created !== null) return <KeySecretDialog apiKey={created} onClose={onClose} />

  const preset = findPermissionPreset(granted)
  const onSubmit = (data: FormData) => {
    const addresses = readTextField(data, 'allowedAddresses')?.split(/[\s,]+/)
    create.mutate({
      body: {
        name: readTextField(data, 'name') ?? '',
        permissions: [...granted],
        expiresAt: toExpiresAt(String(data.get('expiresAt'))),
        ...(addresses !== undefined && { allowedAddresses: addresses }),
      },
    })
  }
  return (
    <Dialog
      open
      size="wide"
      onClose={onClose}
      title="New API key"
      tail={
        <>
          <span className="note">Write permission does not include read permission. Select both if needed.</span>
          <Button
            onClick={() => {
              discardDraft(form)
              onClose()
            }}
          >
            Cancel
          </Button>
          <Button look="primary" type="submit" form={form} busy={create.isPending}>
            Create key
          </Button>
        </>
      }
    >
      <Form id={form} draft="key" entries={entries} error={create.error} onSubmit={onSubmit}>
        <div className="form-row">
          <TextField name="name" label="Name" placeholder="Voice agent, warranty line" autoFocus />
          <SelectField
            name="expiresAt"
            label="Expires"
            defaultValue="365"
            options={KEY_TERMS.map(({ value, word }) => {
              const end = toExpiresAt(value)
              return { value, label: end === null ? word : `${word}: ${day(dateOf(end))}` }
            })}
          />
        </div>
        <div className="field">
          <span className="field-label" id={`${form}-preset`}>
            Start from a preset
          </span>
          <div className="scroll-x">
            <div className="segments" role="radiogroup" aria-labelledby={`${form}-preset`}>
              {PRESETS.map(({ name, permissions }) => (
                <label key={name}>
                  <input
                    type="radio"
                    name="preset"
                    data-draft="off"
                    checked={preset === name}
                    onChange={() => setGranted(new Set(permissions.filter((permission) => grantable.has(permission))))}
                  />
                  {name}
                </label>
              ))}
              <label>
                <input
                  type="radio"
                  name="preset"
                  data-draft="off"
                  checked={preset === undefined}
                  onChange={() => setGranted(new Set())}
                />
                Custom
              </label>
            </div>
          </div>
        </div>
        <fieldset className="field">
          <legend>
            Permissions{' '}
            <span className="faint">
              {granted.size} of {[...grantable].filter(isKeyPermission).length} that you can grant
            </span>
          </legend>
          <PermissionMatrix
            granted={granted}
            grantable={grantable}
            onChange={(permission, isGranted) => {
              const after = new Set(granted)
              if (isGranted) after.add(permission)
              else after.delete(permission)
              setGranted(after)
            }}
          />
          <FieldErrorAt pointer="/permissions" />
        </fieldset>
        <TextField
          name="allowedAddresses"
          label="Allowed IP addresses"
          optional
          placeholder="203.0.113.7, 10.0.0.0/8"
          hint="Requests from other IP addresses are denied and recorded in the audit trail."
        />
      </Form>
    </Dialog>
  )
}

function isKeyPermission(permission: string): boolean {
  return !/^(keys|settings):/.test(permission)
}
