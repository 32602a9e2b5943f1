import { useState } from 'react'
import type { Vendor, VendorLanguage } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FieldErrorAt, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { RecordField } from '../actions/record-field.tsx'

const BOXES = [
  { value: 'nec_1', label: 'Services (1099-NEC, box 1)' },
  { value: 'misc_1', label: 'Rent (1099-MISC, box 1)' },
  { value: 'misc_3', label: 'Other income (1099-MISC, box 3)' },
  { value: 'misc_6', label: 'Medical payments (1099-MISC, box 6)' },
  { value: 'misc_10', label: 'Attorney (1099-MISC, box 10)' },
  { value: 'none', label: 'Not reported' },
] as const satisfies { value: Vendor['reportingBox']; label: string }[]

const WITHHOLDING = [
  { value: 'no_tin', label: 'No tax ID' },
  { value: 'irs_notice', label: 'Notice from the IRS' },
] as const

/** The maximum number of contacts of a vendor. */
const MAX_CONTACTS = 20

interface ContactDraft {
  key: string
  before: Vendor['contacts'][number] | undefined
}

/** Edits the fields of a vendor that are rarely needed on the first day: address, contacts, terms, tax, and notices. */
export function VendorDetailsForm({ vendor, onClose }: { vendor: Vendor; onClose(): void }) {
  const can = useCan()
  const [communityIds, setCommunityIds] = useState<readonly string[]>(vendor.communityIds)
  const [contacts, setContacts] = useState<readonly ContactDraft[]>(() =>
    vendor.contacts.map((before, at) => ({ key: String(at), before })),
  )
  const change = plumbline.useMutation('patch', '/api/ext/vendors/{vendorId}', {
    onSuccess: ({ companyName }) => {
      showToast(`${companyName} updated`)
      onClose()
    },
  })
  const { address, paymentTerms, notificationPreferences, backupWithholding } = vendor
  return (
    <FormDialog
      title={`Edit details of ${vendor.companyName}`}
      size="wide"
      word="Save"
      of={vendor}
      {...{ change, onClose }}
      onSubmit={(form, ifMatch) => {
        const taxId = readTextField(form, 'taxId')
        change.mutate({
          params: { path: { vendorId: vendor.id }, header: ifMatch },
          body: {
            address: readAddress(form),
            contacts: contacts.map(({ key }) => ({
              name: readTextField(form, `name-${key}`) ?? '',
              role: readTextField(form, `role-${key}`) ?? null,
              email: readTextField(form, `email-${key}`) ?? null,
              phone: readTextField(form, `phone-${key}`) ?? null,
              notify: form.has(`notify-${key}`),
            })),
            communityIds: [...communityIds],
            ...readTerms(form),
            ...readTax(form),
            // An empty field keeps the tax ID, whose digits are not shown.
            ...(taxId !== undefined && { taxId }),
            notificationPreferences: {
              advanceNoticeDays: readNumberField(form, 'advanceNoticeDays') ?? null,
              reminderDays: readNumberField(form, 'reminderDays') ?? null,
            },
            language: readLanguage(form),
          },
        })
      }}
    >
      <h3>Address</h3>
      <div className="form-row">
        <TextField name="line1" label="Street" optional pointer="/address/line1" defaultValue={address?.line1 ?? ''} />
        <TextField
          name="line2"
          label="Suite or unit"
          optional
          pointer="/address/line2"
          defaultValue={address?.line2 ?? ''}
        />
      </div>
      <div className="form-row">
        <TextField name="city" label="City" optional pointer="/address/city" defaultValue={address?.city ?? ''} />
        <TextField name="state" label="State" optional pointer="/address/state" defaultValue={address?.state ?? ''} />
        <TextField
          name="postalCode"
          label="ZIP code"
          optional
          pointer="/address/postalCode"
          defaultValue={address?.postalCode ?? ''}
        />
      </div>
      {can('communities:read') && (
        <RecordField
          name="communityIds"
          label="Communities"
          optional
          hint="If empty, the vendor works in every community."
          list={{ path: '/api/ext/communities', searches: true }}
          value={communityIds}
          isMultiple
          onChange={setCommunityIds}
        />
      )}
      <h3>Contacts</h3>
      <FieldErrorAt pointer="/contacts" />
      {contacts.map((contact, at) => (
        <ContactFields
          key={contact.key}
          {...{ contact, at }}
          onRemove={() => setContacts(contacts.filter(({ key }) => key !== contact.key))}
        />
      ))}
      {contacts.length < MAX_CONTACTS && (
        <div className="row">
          <Button
            small
            icon="plus"
            onClick={() => setContacts([...contacts, { key: crypto.randomUUID(), before: undefined }])}
          >
            Add contact
          </Button>
        </div>
      )}
      <h3>Terms</h3>
      <div className="form-row">
        <TextField
          name="netDays"
          label="Payment due in days"
          pointer="/paymentTerms/netDays"
          defaultValue={paymentTerms.netDays}
        />
        <TextField
          name="discountPercent"
          label="Discount in percent"
          pointer="/paymentTerms/discountPercent"
          defaultValue={paymentTerms.discountPercent}
        />
        <TextField
          name="discountDays"
          label="Discount within days"
          pointer="/paymentTerms/discountDays"
          defaultValue={paymentTerms.discountDays}
        />
      </div>
      <div className="form-row">
        <TextField
          name="defaultRetainagePercent"
          label="Retainage in percent"
          defaultValue={vendor.defaultRetainagePercent}
        />
        <SelectField
          name="lienWaiverRequired"
          label="Lien waiver"
          defaultValue={vendor.lienWaiverRequired === null ? '' : String(vendor.lienWaiverRequired)}
          options={[
            { value: '', label: 'As in the settings' },
            { value: 'true', label: 'Required before payment' },
            { value: 'false', label: 'Not required' },
          ]}
        />
      </div>
      <h3>Tax</h3>
      <div className="form-row">
        <TextField
          name="taxId"
          label="Tax ID"
          optional
          hint={
            vendor.taxIdLast4 === null
              ? 'From the W-9.'
              : `Ends with ${vendor.taxIdLast4}. Leave empty to keep this tax ID.`
          }
        />
        <SelectField name="reportingBox" label="Form 1099 box" defaultValue={vendor.reportingBox} options={BOXES} />
      </div>
      <label className="check">
        <input type="checkbox" name="is1099" defaultChecked={vendor.is1099} />
        Report payments on Form 1099
      </label>
      <div className="form-row">
        <SelectField
          name="withholdingReason"
          label="Backup withholding"
          pointer="/backupWithholding/reason"
          defaultValue={backupWithholding?.reason ?? ''}
          options={[{ value: '', label: 'None' }, ...WITHHOLDING]}
        />
        <TextField
          name="withholdingFrom"
          label="Withhold from"
          type="date"
          optional
          pointer="/backupWithholding/fromDate"
          defaultValue={backupWithholding?.fromDate ?? ''}
        />
        <TextField
          name="withholdingTo"
          label="Withhold until"
          type="date"
          optional
          pointer="/backupWithholding/toDate"
          defaultValue={backupWithholding?.toDate ?? ''}
        />
      </div>
      <h3>Notices and portal</h3>
      <div className="form-row">
        <TextField
          name="advanceNoticeDays"
          label="Notice before work in days"
          optional
          pointer="/notificationPreferences/advanceNoticeDays"
          defaultValue={notificationPreferences.advanceNoticeDays ?? ''}
          hint="If empty, no notice is sent."
        />
        <TextField
          name="reminderDays"
          label="Reminder in days"
          optional
          pointer="/notificationPreferences/reminderDays"
          defaultValue={notificationPreferences.reminderDays ?? ''}
          hint="If empty, no reminder is sent."
        />
        <SelectField
          name="language"
          label="Language of the portal and emails"
          defaultValue={vendor.language ?? ''}
          options={[
            { value: '', label: 'Language of the browser (emails in English)' },
            { value: 'en', label: 'English' },
            { value: 'es', label: 'Spanish' },
          ]}
        />
      </div>
    </FormDialog>
  )
}

function ContactFields(props: { contact: ContactDraft; at: number; onRemove(): void }) {
  const {
    contact: { key, before },
    at,
    onRemove,
  } = props
  const pointer = `/contacts/${at}`
  return (
    <fieldset className="bill-line">
      <legend className="sr">Contact {at + 1}</legend>
      <TextField name={`name-${key}`} label="Name" pointer={`${pointer}/name`} defaultValue={before?.name ?? ''} />
      <TextField
        name={`role-${key}`}
        label="Role"
        optional
        pointer={`${pointer}/role`}
        defaultValue={before?.role ?? ''}
      />
      <TextField
        name={`email-${key}`}
        label="Contact email"
        type="email"
        optional
        pointer={`${pointer}/email`}
        defaultValue={before?.email ?? ''}
      />
      <TextField
        name={`phone-${key}`}
        label="Contact phone"
        type="tel"
        optional
        pointer={`${pointer}/phone`}
        defaultValue={before?.phone ?? ''}
      />
      <label className="check">
        <input type="checkbox" name={`notify-${key}`} defaultChecked={before?.notify === true} />
        Also gets invitations and notices
      </label>
      <IconButton icon="x" label={`Remove contact ${at + 1}`} look="quiet" onClick={onRemove} />
    </fieldset>
  )
}

function readAddress(form: FormData) {
  const parts = {
    line1: readTextField(form, 'line1') ?? null,
    line2: readTextField(form, 'line2') ?? null,
    city: readTextField(form, 'city') ?? null,
    state: readTextField(form, 'state') ?? null,
    postalCode: readTextField(form, 'postalCode') ?? null,
  }
  return Object.values(parts).every((part) => part === null) ? null : parts
}

function readTerms(form: FormData) {
  const waiver = readTextField(form, 'lienWaiverRequired')
  return {
    paymentTerms: {
      netDays: readNumberField(form, 'netDays') ?? 0,
      discountPercent: readNumberField(form, 'discountPercent') ?? 0,
      discountDays: readNumberField(form, 'discountDays') ?? 0,
    },
    defaultRetainagePercent: readNumberField(form, 'defaultRetainagePercent') ?? 0,
    lienWaiverRequired: waiver === undefined ? null : waiver === 'true',
  }
}

function readTax(form: FormData) {
  const box = BOXES.find(({ value }) => value === form.get('reportingBox'))
  const reason = WITHHOLDING.find(({ value }) => value === form.get('withholdingReason'))
  return {
    is1099: form.has('is1099'),
    ...(box !== undefined && { reportingBox: box.value }),
    backupWithholding:
      reason === undefined
        ? null
        : {
            reason: reason.value,
            fromDate: readTextField(form, 'withholdingFrom') ?? '',
            toDate: readTextField(form, 'withholdingTo') ?? null,
          },
  }
}

function readLanguage(form: FormData): VendorLanguage | null {
  const language = form.get('language')
  return language === 'en' || language === 'es' ? language : null
}
