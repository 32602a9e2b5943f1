import { useId, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Vendor } from '../../../client/contract.gen.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { ChangedSince } from '../../ui/changed-since.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { discardDraft } from '../../ui/use-form-draft.ts'

/** Lets the user create or edit a vendor. */
export function VendorForm({ vendor, now, onClose }: { vendor?: Vendor; now?: Vendor; onClose(): void }) {
  const form = useId()
  const navigate = useNavigate()
  // The record from when the form was opened. Later changes by other users do not change the form.
  const [before] = useState(vendor)
  const [sent, setSent] = useState<VendorBody | null>(null)
  const [toConfirm, setToConfirm] = useState<VendorBody | null>(null)
  const create = plumbline.useMutation('post', '/api/ext/vendors', {
    onSuccess: ({ id, companyName }) => {
      showToast(`${companyName} added`)
      void navigate(`/vendors/${id}`)
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/vendors/{vendorId}', {
    onSuccess: ({ companyName }) => {
      showToast(`${companyName} updated`)
      onClose()
    },
  })
  const save = (body: VendorBody, version: number | undefined) => {
    setToConfirm(null)
    setSent(body)
    if (before === undefined) create.mutate({ body })
    else update.mutate({ params: { path: { vendorId: before.id }, header: { 'If-Match': `"${version}"` } }, body })
  }
  const submit = (body: VendorBody) => {
    if (before !== undefined && revokesLinks(before, body)) setToConfirm(body)
    else save(body, before?.version)
  }
  const error = create.error ?? update.error
  const isConflict = error !== null && toErrorMessage(error).problem?.code === 'precondition_failed'
  return (
    <Dialog
      open
      onClose={onClose}
      title={before === undefined ? 'New vendor' : `Edit ${before.companyName}`}
      tail={
        <>
          <span className="push" />
          <Button
            onClick={() => {
              discardDraft(form)
              onClose()
            }}
          >
            Cancel
          </Button>
          <Button look="primary" type="submit" form={form} busy={create.isPending || update.isPending}>
            {before === undefined ? 'Add vendor' : 'Save'}
          </Button>
        </>
      }
    >
      {before !== undefined && (
        <ChangedSince
          error={error}
          before={before}
          now={now}
          onOverwrite={() => sent !== null && save(sent, now?.version)}
        />
      )}
      <Form id={form} draft="vendor" error={isConflict ? null : error} onSubmit={(data) => submit(toVendorBody(data))}>
        <TextField name="companyName" label="Company" defaultValue={before?.companyName} autoFocus />
        <div className="form-row">
          <TextField name="contactName" label="Contact" optional defaultValue={before?.contactName ?? ''} />
          <TextField name="phone" label="Phone" type="tel" optional defaultValue={before?.phone ?? ''} />
        </div>
        <TextField
          name="email"
          label="Email"
          type="email"
          optional
          defaultValue={before?.email ?? ''}
          hint="Bid requests are sent to this address."
        />
        <TextField
          name="scopes"
          label="Trades"
          optional
          defaultValue={before?.scopes.join(', ')}
          placeholder="framing, trusses"
          hint="Separate trades with commas. New trades are created."
        />
        <div className="form-row">
          <TextField
            name="poLimit"
            label="Open order limit"
            optional
            defaultValue={before?.poLimit ?? ''}
            hint="If empty, there is no limit."
          />
          <TextField name="licenseNumber" label="License" optional defaultValue={before?.licenseNumber ?? ''} />
          <TextField name="accountingId" label="Accounting ID" optional defaultValue={before?.accountingId ?? ''} />
        </div>
      </Form>
      {before !== undefined && toConfirm !== null && (
        <ConfirmAddressDialog
          vendor={before}
          email={toConfirm.email}
          onConfirm={() => save(toConfirm, before.version)}
          onClose={() => setToConfirm(null)}
        />
      )}
    </Dialog>
  )
}

function ConfirmAddressDialog(props: { vendor: Vendor; email: string | null; onConfirm(): void; onClose(): void }) {
  const { vendor, email, onConfirm, onClose } = props
  const { companyName } = vendor
  const word = email === null ? 'Remove address' : 'Change address'
  return (
    <Dialog
      open
      onClose={onClose}
      size="narrow"
      title={`${email === null ? 'Remove' : 'Change'} the email address of ${companyName}?`}
      tail={
        <>
          <span className="push" />
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={onConfirm}>
            {word}
          </Button>
        </>
      }
    >
      <p>
        The portal links that were emailed to {vendor.email} will stop working.{' '}
        {email === null
          ? 'The vendor’s contacts with an email address will get new links.'
          : `New links will be emailed to ${email}.`}{' '}
        This cannot be undone.
      </p>
    </Dialog>
  )
}

/** Returns whether saving revokes portal links. They may have been emailed to the address that the user removes. */
function revokesLinks({ email, portalStatus }: Vendor, after: VendorBody): boolean {
  return portalStatus !== 'not_invited' && email !== null && email.toLowerCase() !== after.email?.toLowerCase()
}

type VendorBody = ReturnType<typeof toVendorBody>

function toVendorBody(data: FormData) {
  const scopes = (readTextField(data, 'scopes') ?? '').split(',').map((scope) => scope.trim())
  return {
    companyName: readTextField(data, 'companyName') ?? '',
    contactName: readTextField(data, 'contactName') ?? null,
    phone: readTextField(data, 'phone') ?? null,
    email: readTextField(data, 'email') ?? null,
    scopes: [...new Set(scopes.filter((scope) => scope !== ''))],
    poLimit: readNumberField(data, 'poLimit') ?? null,
    licenseNumber: readTextField(data, 'licenseNumber') ?? null,
    accountingId: readTextField(data, 'accountingId') ?? null,
  }
}
