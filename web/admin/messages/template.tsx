import { useState } from 'react'
import { useParams } from 'react-router'
import type { MessageTemplate, RenderedMessage } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Form, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { VendorField } from '../actions/vendor-field.tsx'
import { TEMPLATE_WORDS } from './templates.tsx'

/** Edits the text of one template, with a preview for a vendor. */
export function Component() {
  const { messageTemplateId = '' } = useParams()
  const can = useCan()
  const [isResetting, setIsResetting] = useState(false)
  const { data, error, refetch } = plumbline.useQuery('get', '/api/ext/message-templates/{messageTemplateId}', {
    params: { path: { messageTemplateId } },
  })
  const name = data === undefined ? 'Template' : (TEMPLATE_WORDS[data.kind] ?? data.kind)
  return (
    <Page
      title={name}
      crumbs={[{ name: 'Messages', to: '/messages' }, { name: 'Templates', to: '/messages/templates' }, { name }]}
      actions={
        data !== undefined &&
        !data.isDefault &&
        can('messages:write') && <Button onClick={() => setIsResetting(true)}>Use Plumbline’s text</Button>
      }
    >
      <div className="page-head">
        <h1>{name}</h1>
        <p>Words in double braces are filled in each time the text is used.</p>
      </div>
      {error !== null ? (
        <LoadError what="The template" error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <TemplateEditor key={data.version} template={data} />
      )}
      {isResetting && data !== undefined && (
        <ResetDialog template={data} name={name} onClose={() => setIsResetting(false)} />
      )}
    </Page>
  )
}

function TemplateEditor({ template }: { template: MessageTemplate }) {
  const can = useCan()
  const [vendorId, setVendorId] = useState('')
  const place = { messageTemplateId: template.id }
  const save = plumbline.useMutation('put', '/api/ext/message-templates/{messageTemplateId}', {
    onSuccess: () => showToast('Template saved'),
  })
  const preview = plumbline.useMutation('post', '/api/ext/message-templates/{messageTemplateId}/preview', {
    meta: { changesNothing: true },
  })
  const mayWrite = can('messages:write')
  const hasSubject = template.subject !== null
  const submit = (form: FormData) => {
    const text = (name: string) => readTextField(form, name) ?? null
    const body = { body: text('body') ?? '', ...(hasSubject && { subject: text('subject') }) }
    const spanishBody = text('spanishBody')
    // The subject is filled in with Plumbline's subject, so it may remain when the text is deleted.
    const spanish = { subject: spanishBody === null ? null : text('spanishSubject'), body: spanishBody }
    const step = form.get('step')
    if (step === 'preview' || step === 'previewSpanish') {
      // Without a Spanish text, vendors who read Spanish receive the English text.
      const isSpanish = step === 'previewSpanish' && spanish.body !== null
      const tried = isSpanish ? { language: 'es' as const, subject: spanish.subject, body: spanish.body ?? '' } : body
      return preview.mutate({ params: { path: place }, body: { ...tried, ...(vendorId !== '' && { vendorId }) } })
    }
    save.mutate({
      params: { path: place, header: { 'If-Match': `"${template.version}"` } },
      body: {
        ...body,
        ...(hasSubject && { spanishSubject: spanish.subject, spanishBody: spanish.body }),
      },
    })
  }
  return (
    <div className="cols">
      <Panel title="Template">
        <Form error={save.error} onSubmit={submit} draft="template">
          {hasSubject && <TextField name="subject" label="Subject" defaultValue={template.subject ?? ''} />}
          <Field
            name="body"
            label="Text"
            hint={`You can use ${template.placeholders.map((one) => `{{${one}}}`).join(', ')}.`}
          >
            {(control) => <textarea {...control} className="input" rows={16} defaultValue={template.body} />}
          </Field>
          {hasSubject && (
            <>
              <TextField
                name="spanishSubject"
                label="Spanish subject"
                defaultValue={template.spanishSubject ?? ''}
                optional
              />
              <Field
                name="spanishBody"
                label="Spanish text"
                hint="For vendors whose language is Spanish. If it is empty, these vendors get the English text."
                optional
              >
                {(control) => (
                  <textarea {...control} className="input" rows={16} defaultValue={template.spanishBody ?? ''} />
                )}
              </Field>
            </>
          )}
          {can('vendors:read') && (
            <VendorField
              name="previewVendor"
              label="Vendor for the preview"
              optional
              value={vendorId}
              onChange={setVendorId}
            />
          )}
          <div className="row wrap">
            {mayWrite && (
              <Button look="primary" type="submit" name="step" value="save" busy={save.isPending}>
                Save
              </Button>
            )}
            <Button type="submit" name="step" value="preview" icon="eye" busy={preview.isPending}>
              Preview
            </Button>
            {hasSubject && (
              <Button type="submit" name="step" value="previewSpanish" icon="eye" busy={preview.isPending}>
                Preview in Spanish
              </Button>
            )}
          </div>
        </Form>
      </Panel>
      <Panel title="Preview">
        <ChangeError error={preview.error} />
        {preview.data === undefined ? (
          <p className="muted">Select Preview to see the text with a vendor’s data.</p>
        ) : (
          <RenderedText of={preview.data} />
        )}
      </Panel>
    </div>
  )
}

function RenderedText({ of: { subject, text } }: { of: RenderedMessage }) {
  return (
    <div className="stack" aria-live="polite">
      {subject !== null && <strong>{subject}</strong>}
      <p className="pre-line">{text}</p>
    </div>
  )
}

function ResetDialog({ template, name, onClose }: { template: MessageTemplate; name: string; onClose(): void }) {
  const change = plumbline.useMutation('delete', '/api/ext/message-templates/{messageTemplateId}', {
    onSuccess: () => {
      showToast(`${name} reset`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Reset ${name}?`}
      size="narrow"
      word="Reset"
      isDanger
      of={template}
      {...{ change, onClose }}
      onSubmit={(_, ifMatch) =>
        change.mutate({ params: { path: { messageTemplateId: template.id }, header: ifMatch } })
      }
    >
      <p className="muted">Your text is replaced with Plumbline’s text. This cannot be undone.</p>
    </FormDialog>
  )
}
