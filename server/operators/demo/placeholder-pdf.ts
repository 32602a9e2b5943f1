/** Creates a PDF with one landscape page, a frame, and a title, as a placeholder for a drawing or an invoice. */
export function createPlaceholderPdf(title: string): Buffer {
  const text = title.replaceAll(/[()\\]/g, '')
  const content = `36 36 720 540 re S 480 36 276 60 re S BT /F1 14 Tf 492 60 Td (${text}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 792 612] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    [`<< /Length ${content.length} >>`, 'stream', content, 'endstream'].join('\n'),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let pdf = '%PDF-1.4\n'
  const offsets = objects.map((object, i) => {
    const at = pdf.length
    pdf += [`${i + 1} 0 obj`, object, 'endobj', ''].join('\n')
    return `${String(at).padStart(10, '0')} 00000 n \n`
  })
  const start = pdf.length
  const size = objects.length + 1
  const table = ['xref', `0 ${size}`, `0000000000 65535 f \n${offsets.join('')}trailer`]
  pdf += [...table, `<< /Size ${size} /Root 1 0 R >>`, 'startxref', start, '%%EOF', ''].join('\n')
  return Buffer.from(pdf, 'latin1')
}
