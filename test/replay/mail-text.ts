/** Returns a mail with its attachments as text, and without the random words between its parts. */
export async function mailText(mail: Buffer, toText: (bytes: Buffer) => Promise<string>): Promise<string> {
  const boundaries = [...mail.toString("latin1").matchAll(/boundary="([^"]+)"/g)].map(
    ([, text = ""]) => text,
  );
  const raw = boundaries.reduce(
    (text, boundary, index) => text.replaceAll(boundary, `<boundary ${index}>`),
    mail.toString(),
  );
  const parts = raw.split(/^(?=--<boundary)/m);
  const decoded = parts.map(async (part) => {
    const [, head, body] = /^(.*?\r\n\r\n)(.*)$/s.exec(part) ?? [];
    if (head === undefined || body === undefined || !/transfer-encoding: base64/i.test(head)) return part;
    return head + (await toText(Buffer.from(body, "base64")));
  });
  return (await Promise.all(decoded)).join("").replaceAll("\r\n", "\n");
}
