import { useState } from 'react'
import type { OrganizationSettings, Weekday } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readNumberField, readTextField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { EmptyCell } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { Sandbox } from './sandbox.tsx'

type SettingsPart = 'general' | 'overtime' | 'stages' | 'terms'
const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly Weekday[]

/** Shows settings for the whole organization. */
export function Component() {
  const settings = plumbline.useQuery('get', '/api/admin/organization')
  return (
    <Page title="Organization" crumbs={[{ name: 'Settings' }, { name: 'Organization' }]}>
      <div className="page-head">
        <h1>Organization</h1>
        <p>Settings for all users. Changes apply immediately.</p>
      </div>
      {settings.error !== null ? (
        <LoadError what="The settings" error={settings.error} onRetry={() => void settings.refetch()} />
      ) : settings.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <SettingsDetails settings={settings.data} />
      )}
    </Page>
  )
}

function SettingsDetails({ settings }: { settings: OrganizationSettings }) {
  const can = useCan()
  const [open, setOpen] = useState<SettingsPart | null>(null)
  const { overtimeRule, salePipelineStages, poTerms } = settings
  const edit = (part: SettingsPart, what: string) =>
    can('settings:write') && (
      <Button small onClick={() => setOpen(part)}>
        Edit<span className="sr"> {what}</span>
      </Button>
    )
  return (
    <>
      <div className="cols even">
        <Panel title="General" actions={edit('general', 'general settings')}>
          <KeyValues
            facts={[
              ['Name', settings.name],
              ['Phone', settings.phone ?? <EmptyCell key="phone" />],
              ['Time zone', settings.timeZone],
              ['Weeks begin on', humanizeName(settings.weekStartsOn)],
              ['Late work in progress', settings.usesDataDate ? 'moves the schedule' : 'moves nothing'],
              ['Currency', `${settings.currency} (cannot be changed)`],
              ['Tier', settings.tier === 'pro_plus' ? 'Pro+, with API access' : 'Standard'],
              ['ID', <code key="id">{settings.id}</code>],
              ['Last changed', <TimeText key="changed" at={settings.updatedAt} />],
            ]}
          />
        </Panel>
        <div className="stack">
          <Panel
            title="Overtime"
            hint="applies to timesheet weeks changed from now on"
            actions={edit('overtime', 'overtime')}
          >
            <KeyValues
              facts={[
                ['Weekly', formatHours(overtimeRule.weeklyAfterHours, 'a week')],
                ['Daily', formatHours(overtimeRule.dailyAfterHours, 'a day')],
                ['Pay rate', `${formatQuantity(overtimeRule.multiplier)} × the hourly rate`],
              ]}
            />
          </Panel>
          <Panel title="Sale stages" hint="for new sales" actions={edit('stages', 'sale stages')}>
            <ol className="numbered">
              {salePipelineStages.map((stage) => (
                <li key={stage}>{humanizeName(stage)}</li>
              ))}
            </ol>
          </Panel>
        </div>
      </div>
      <Panel title="Order terms" hint="printed at the end of order documents" actions={edit('terms', 'order terms')}>
        {poTerms === null ? <p className="muted">No order terms yet.</p> : <p className="pre-line">{poTerms}</p>}
      </Panel>
      <Sandbox />
      {open !== null && <EditSettingsDialog part={open} settings={settings} onClose={() => setOpen(null)} />}
    </>
  )
}

function formatHours(hours: number | null, unit: string) {
  return hours === null ? <EmptyCell /> : `after ${formatQuantity(hours)} ${hours === 1 ? 'hour' : 'hours'} ${unit}`
}

const TITLES: Record<SettingsPart, string> = {
  general: 'Edit organization',
  overtime: 'Edit overtime',
  stages: 'Edit sale stages',
  terms: 'Edit order terms',
}

function EditSettingsDialog({
  part,
  settings,
  onClose,
}: {
  part: SettingsPart
  settings: OrganizationSettings
  onClose(): void
}) {
  const change = plumbline.useMutation('patch', '/api/admin/organization', {
    onSuccess: () => {
      showToast('Settings updated')
      onClose()
    },
  })
  const bodyOf = (form: FormData) => {
    if (part === 'terms') return { poTerms: readTextField(form, 'poTerms') ?? null }
    if (part === 'stages') {
      const stages = (readTextField(form, 'salePipelineStages') ?? '').split('\n').map(toStageName)
      return { salePipelineStages: stages.filter((stage) => stage !== '') }
    }
    if (part === 'overtime') {
      const { multiplier } = settings.overtimeRule
      return {
        overtimeRule: {
          weeklyAfterHours: readNumberField(form, 'weeklyAfterHours') ?? null,
          dailyAfterHours: readNumberField(form, 'dailyAfterHours') ?? null,
          multiplier: readNumberField(form, 'multiplier') ?? multiplier,
        },
      }
    }
    return {
      name: readTextField(form, 'name') ?? '',
      phone: readTextField(form, 'phone') ?? null,
      timeZone: readTextField(form, 'timeZone') ?? '',
      weekStartsOn: WEEKDAYS.find((day) => day === form.get('weekStartsOn')) ?? settings.weekStartsOn,
      usesDataDate: form.get('usesDataDate') !== null,
    }
  }
  return (
    <FormDialog
      title={TITLES[part]}
      word="Save"
      {...{ change, of: settings, onClose }}
      onSubmit={(form, ifMatch) => change.mutate({ params: { header: ifMatch }, body: bodyOf(form) })}
    >
      {part === 'general' && <GeneralFields settings={settings} />}
      {part === 'overtime' && <OvertimeFields settings={settings} />}
      {part === 'stages' && (
        <TextAreaField
          name="salePipelineStages"
          label="Stages in order, one per line"
          rows={8}
          defaultValue={settings.salePipelineStages.map(humanizeName).join('\n')}
          hint="Current sales keep their stages."
        />
      )}
      {part === 'terms' && (
        <TextAreaField name="poTerms" label="Terms" rows={10} optional defaultValue={settings.poTerms ?? ''} />
      )}
    </FormDialog>
  )
}

/** Converts a stage name such as `Contract signed` to its stored form. */
function toStageName(words: string): string {
  return words.trim().toLowerCase().replaceAll(/\s+/g, '_')
}

function GeneralFields({ settings }: { settings: OrganizationSettings }) {
  return (
    <>
      <TextField name="name" label="Name" defaultValue={settings.name} autoFocus />
      <TextField
        name="phone"
        label="Phone"
        optional
        defaultValue={settings.phone ?? ''}
        hint="Vendors see it in their portal when something does not work."
      />
      <div className="form-row">
        <TextField
          name="timeZone"
          label="Time zone"
          defaultValue={settings.timeZone}
          hint="For example America/Chicago. Applies to all deadlines and dates."
        />
        <SelectField
          name="weekStartsOn"
          label="Weeks begin on"
          defaultValue={settings.weekStartsOn}
          options={WEEKDAYS.map((value) => ({ value, label: humanizeName(value) }))}
        />
      </div>
      <label className="check">
        <input type="checkbox" name="usesDataDate" defaultChecked={settings.usesDataDate} />
        Schedule work in progress to end no earlier than today
      </label>
    </>
  )
}

function OvertimeFields({ settings: { overtimeRule } }: { settings: OrganizationSettings }) {
  return (
    <>
      <div className="form-row">
        <TextField
          name="weeklyAfterHours"
          pointer="/overtimeRule/weeklyAfterHours"
          label="Hours per week"
          optional
          defaultValue={overtimeRule.weeklyAfterHours ?? ''}
          hint="If empty, there is no weekly limit."
          autoFocus
        />
        <TextField
          name="dailyAfterHours"
          pointer="/overtimeRule/dailyAfterHours"
          label="Hours per day"
          optional
          defaultValue={overtimeRule.dailyAfterHours ?? ''}
          hint="If empty, there is no daily limit."
        />
      </div>
      <TextField
        name="multiplier"
        pointer="/overtimeRule/multiplier"
        label="Pay rate multiplier"
        defaultValue={overtimeRule.multiplier}
      />
    </>
  )
}
