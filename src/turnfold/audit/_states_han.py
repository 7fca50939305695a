"""Marks and Chinese words that say how far something is."""

from typing import Final

_LEAD: Final = r"\A[-*+\s\d.)]{0,6}"
OPEN_MARK: Final = rf"{_LEAD}(?:\[ ?\](?!\S)|[\u2610\u274c\u2717\u2718])"
DONE_MARK: Final = rf"{_LEAD}(?:\[x\](?!\S)|[\u2611\u2705\u2713\u2714])"
_HAN_DEED: Final = (
    "通过|完成|成功|修复|修好|解决|上线|部署|发布|合并|合入|实现|迁移|更新|添加|加上"
    "|启用|生效|测试|验证|恢复|处理|跑通|写好|做完|改好|接入|删除|切换|重构|优化|提交|清理"
)
HAN_WELL: Final = (
    "(?:不再|没有?再?|未再?|无)(?:报错|出错|失败|崩溃|问题|错误|异常)"
    "|(?:报错|错误|问题|故障)(?:已经?)?(?:消失|排除)"
)
HAN_OPEN: Final = (
    rf"(?:没有?|未|尚未)(?:能够?|被|再|全部|完全|真正)?(?:{_HAN_DEED})"
    r"|尚未|仍未|还没有?|还未|待办|待定"
    rf"|[待需](?:{_HAN_DEED})|失败|报错|出错|崩溃|卡住|挂了|不(?:通过|成功|稳定|可用|正常)|无法"
    r"|还(?:需|要|得|差|缺)|仍(?:需|然?(?:报|失败))|进行中|阻塞|搁置|推迟|下一步|没有?"
)
HAN_DONE: Final = (
    rf"已经?(?![知有])|(?:{_HAN_DEED})(?=了)|(?:全部|均|都)(?:{_HAN_DEED})|完成|成功|正常|稳定"
    r"|通过(?=[了\u3002\uff0c\uff1b\u3001\uff01\uff09,;.!)\s]|\Z)"
)

HAN: Final = f"{HAN_WELL}|{HAN_OPEN}|{HAN_DONE}|全部|均|都|还|仍"
"""All of them that are words."""
